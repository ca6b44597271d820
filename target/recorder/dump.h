/* The log over the node's serial port: what `motet collect --serial` asks for.
 *
 * The command is a sequence of bytes that the application itself reads from its port; the recorder sees them pass, as
 * it sees all it records. In the next idle moment it takes the port by polling, with interrupts off, sends the pages
 * and gives it back as it was: to the application nothing has happened but that time has passed. Where no application
 * reads the port, MOTET_DUMP has the recorder set it up and look at it in idle moments.
 *
 * Part of recorder.c. Invariant: it ends, whatever the host does, and nothing is recorded meanwhile. */
#if defined UDR0 && defined RXC0 && !defined MOTET_NO_DUMP
#define DUMP_PORT 1
#elif defined __MSP430__ && defined MOTET_BOARD_TELOSB && !defined MOTET_NO_DUMP
#define DUMP_PORT 1
#endif

#ifdef DUMP_PORT

#ifdef MOTET_DUMP
enum { OWN_PORT = 1 };
#else
enum { OWN_PORT = 0 };
#endif

struct dump {
    uint8_t matched; /* bytes of the command, times DUMP_STEP; known to the ports' assembly */
    uint8_t wanted;
    uint16_t site; /* that the command comes through */
};
__attribute__((section(".noinit"))) struct dump motet_dump;
#define D motet_dump
_Static_assert(offsetof(struct dump, matched) == 0, "as the ports know it");

static void dump_byte(uint8_t value)
{
    uint8_t matched = D.matched;
    if (value != (uint8_t)(DUMP_FIRST + matched))
        matched = 0;
    if (value == (uint8_t)(DUMP_FIRST + matched))
        matched += DUMP_STEP;
    if (matched == (uint8_t)(DUMP_STEP * DUMP_LENGTH)) {
        matched = 0;
        D.wanted = 1;
    }
    D.matched = matched;
}

/* Worth a look: reads are many and some are timed by the firmware, so this is all that most of them cost. */
#define DUMP_MAY_BE(value) (D.matched || (value) == DUMP_FIRST)

/* Bytes from other ports come between those of the command, but not through its site. */
static __attribute__((noinline)) void dump_look(motet_site site, uint8_t value)
{
    enum { CLASS = 0xe0, DATA = 0x40 };
    if ((site >> 8 & CLASS) != DATA)
        return;
    if (!D.matched)
        D.site = site;
    if (site == D.site)
        dump_byte(value);
}

/* ---- the port ---- */

#define DUMP_QUIET 0x100
#define DUMP_SOON  500

#ifdef __AVR__

#ifndef MOTET_DUMP_DIVIDER
#define MOTET_DUMP_DIVIDER 7 /* 57600 Bd at 7.3728 MHz */
#endif
#define DUMP_STILL()  __asm__ volatile("wdr")
#define DUMP_PATIENCE 0x200000ul /* looks at an empty port: 4 s at 7.3728 MHz */

struct port_state {
    uint8_t control, complete;
};

static void port_start(void)
{
    UBRR0L = MOTET_DUMP_DIVIDER;
    UBRR0H = MOTET_DUMP_DIVIDER >> 8;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
}

/* There is a byte that no handler of the application's will fetch. */
static uint8_t port_waits(void)
{
    return (UCSR0B & (1 << RXEN0 | 1 << RXCIE0)) == 1 << RXEN0 && (UCSR0A & 1 << RXC0);
}

/* By writing a one (ATmega128, USART: UCSRnA). */
static void clear_complete(void)
{
    UCSR0A = (uint8_t)((UCSR0A & (1 << U2X0 | 1 << MPCM0)) | 1 << TXC0);
}

static void port_open(struct port_state *was)
{
    was->control = UCSR0B;
    was->complete = UCSR0A & 1 << TXC0;
    clear_complete();
    UCSR0B = (uint8_t)(was->control | 1 << RXEN0 | 1 << TXEN0);
}

static uint8_t port_full(void)
{
    return !(UCSR0A & 1 << UDRE0);
}

static uint8_t port_has_byte(void)
{
    return UCSR0A & 1 << RXC0;
}

#define PORT_OUT UDR0
#define PORT_IN  UDR0

static void port_close(const struct port_state *was)
{
    while (!(UCSR0A & 1 << TXC0))
        ;
    if (!was->complete)
        clear_complete();
    UCSR0B = was->control;
}

#else

#ifndef MOTET_DUMP_DIVIDER
#define MOTET_DUMP_DIVIDER    36 /* 115200 Bd at 2^22 Hz */
#define MOTET_DUMP_MODULATION 0x4a
#endif
#ifndef MOTET_DUMP_MODULATION
#define MOTET_DUMP_MODULATION 0
#endif
#define DUMP_PATIENCE 0xc0000ul /* looks at an empty port: 4 s at 2^22 Hz */
#define DUMP_STILL()  (WDTCTL = WDTPW | WDTCNTCL | (WDTCTL & 0xff))

struct port_state {
    uint8_t enabled;
    uint8_t flagged; /* as the application's driver will have it */
};

static void port_start(void)
{
    P3SEL |= 0xc0;
    P3DIR |= 0x40;
    U1CTL = CHAR | SWRST;
    U1TCTL = SSEL1;
    U1BR0 = MOTET_DUMP_DIVIDER & 0xff;
    U1BR1 = MOTET_DUMP_DIVIDER >> 8;
    U1MCTL = MOTET_DUMP_MODULATION;
    ME2 |= UTXE1 | URXE1;
    U1CTL = CHAR;
}

static uint8_t port_waits(void)
{
    return (ME2 & URXE1) && !(IE2 & URXIE1) && (IFG2 & URXIFG1);
}

static void port_open(struct port_state *was)
{
    was->enabled = ME2;
    was->flagged = (IFG2 & UTXIFG1) || !(U1TCTL & TXEPT); /* or will be, when what is on its way has gone */
    ME2 |= UTXE1 | URXE1;
    if (!was->flagged)
        IFG2 |= UTXIFG1;
}

static uint8_t port_full(void)
{
    return !(IFG2 & UTXIFG1);
}

static uint8_t port_has_byte(void)
{
    return IFG2 & URXIFG1;
}

#define PORT_OUT      U1TXBUF
#define PORT_IN       U1RXBUF

static void port_close(const struct port_state *was)
{
    while (!(U1TCTL & TXEPT))
        ;
    if (!was->flagged)
        IFG2 &= (uint8_t)~UTXIFG1;
    ME2 = was->enabled;
}

#endif

static SMALL uint16_t port_in(uint32_t looks)
{
    do {
        DUMP_STILL();
        if (port_has_byte())
            return PORT_IN;
    } while (--looks);
    return DUMP_QUIET;
}

static SMALL uint16_t dump_out(uint16_t crc, uint8_t byte)
{
    while (port_full())
        ;
    PORT_OUT = byte;
    return crc16(crc, byte);
}

static SMALL uint16_t dump_number(uint16_t crc, uint16_t number)
{
    return dump_out(dump_out(crc, (uint8_t)number), (uint8_t)(number >> 8));
}

/* The first page from this one on. */
static void dump_page(uint16_t page)
{
    uint16_t crc, left;
    uint8_t byte;
    for (;; page++) {
        flash_read(MOTET_FLASH_FIRST + page);
        byte = exchange(0);
        if (page == MOTET_FLASH_PAGES || byte == PAGE_MAGIC)
            break;
        command_end();
        DUMP_STILL();
    }
    dump_number(0, DUMP_SYNC_0 | DUMP_SYNC_1 << 8);
    crc = dump_number(dump_number(dump_number(0, PAGE_BYTES), MOTET_FLASH_PAGES), page);
    if (page != MOTET_FLASH_PAGES)
        for (left = PAGE_BYTES; left; left--) {
            crc = dump_out(crc, byte);
            byte = exchange(0);
        }
    command_end();
    dump_number(crc, crc);
}

/* Until the host has had enough or falls silent, or asks for more than it can want. */
static void dump_pages(void)
{
    uint16_t byte, page = 0;
    for (uint16_t most = 0xffff; most && page <= MOTET_FLASH_PAGES; most--) {
        dump_page(page);
        do {
            while ((byte = port_in(DUMP_PATIENCE)) != DUMP_ASK)
                if (byte == DUMP_QUIET)
                    return;
            page = port_in(DUMP_PATIENCE);
            byte = port_in(DUMP_PATIENCE);
            page |= byte << 8;
            byte ^= DUMP_ASK ^ (uint8_t)page;
        } while (port_in(DUMP_PATIENCE) != byte);
    }
}

static void flush(void);

/* Interrupts are off, nobody else uses the flash, and the flash is not open. */
static __attribute__((noinline)) void dump(void)
{
    struct port_state port;
    flush();
    port_open(&port);
    open_flash();
    while (!flash_ready())
        ;
    dump_pages();
    close_flash();
    port_close(&port);
    D.wanted = D.matched = 0;
}

/* ---- when ---- */

static void dump_begin(void)
{
    memset(&D, 0, sizeof D);
}

/* With a port that is ours the host says its command over and over, so that one is seen whole. */
static void dump_listen(void)
{
    uint16_t byte;
    while (OWN_PORT && port_waits() && !D.wanted)
        while (!D.wanted && (byte = port_in(DUMP_SOON)) != DUMP_QUIET)
            dump_byte((uint8_t)byte);
}

static uint8_t dump_is_wanted(void)
{
    return OWN_PORT || D.wanted;
}

static void dump_if_wanted(void)
{
    dump_listen();
    if (D.wanted)
        dump();
}

/* Also executed in replay: the registers agree. */
static void dump_pins(void)
{
    if (OWN_PORT)
        port_start();
}

#else

#define DUMP_MAY_BE(value) 0
static void dump_look(motet_site site, uint8_t value)
{
    (void)site, (void)value;
}
static void dump_begin(void) {}
static void dump_if_wanted(void) {}
static uint8_t dump_is_wanted(void)
{
    return 0;
}
static void dump_pins(void) {}

#endif
