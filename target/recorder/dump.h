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

static const uint8_t dump_command[8] = DUMP_COMMAND;

struct dump {
    uint8_t matched, wanted; /* bytes of the command; the first is known to the ports' assembly */
    uint16_t site;           /* that the command comes through */
};
__attribute__((section(".noinit"))) struct dump motet_dump;
#define D motet_dump
_Static_assert(offsetof(struct dump, matched) == 0, "as the ports know it");

static void dump_byte(uint8_t value)
{
    if (value == dump_command[D.matched])
        D.matched++;
    else
        D.matched = value == dump_command[0];
    if (D.matched == sizeof dump_command) {
        D.matched = 0;
        D.wanted = 1;
    }
}

/* Worth a look: reads are many and some are timed by the firmware, so this is all that most of them cost. */
#define DUMP_MAY_BE(value) (D.matched || (value) == DUMP_FIRST)

/* Bytes from other ports come between those of the command, but not through its site. */
static __attribute__((noinline)) void dump_look(motet_site site, uint8_t value)
{
    enum { CLASS = 0xe0, DATA = 0x40 };
    if ((site >> 8 & CLASS) != DATA || (D.matched ? site != D.site : value != dump_command[0]))
        return;
    D.site = site;
    dump_byte(value);
}

/* ---- the port ---- */

enum { DUMP_QUIET = -1 };
#define DUMP_PATIENCE 50000UL /* looks at an empty port, a quarter of a second or so */

#ifdef __AVR__

#ifndef MOTET_DUMP_DIVIDER
#define MOTET_DUMP_DIVIDER 7 /* 57600 Bd at 7.3728 MHz */
#endif
#define DUMP_STILL() __asm__ volatile("wdr")

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

static void flash_piece(uint16_t page, uint16_t at, uint8_t *bytes, uint8_t count)
{
    command(0xd2, page, at);
    for (uint8_t dummy = 0; dummy < 4; dummy++)
        exchange(0);
    while (count--)
        *bytes++ = exchange(0);
    command_end();
}

#else

#ifndef MOTET_DUMP_DIVIDER
#define MOTET_DUMP_DIVIDER    36 /* 115200 Bd at 2^22 Hz */
#define MOTET_DUMP_MODULATION 0x4a
#endif
#ifndef MOTET_DUMP_MODULATION
#define MOTET_DUMP_MODULATION 0
#endif
#define DUMP_STILL() (WDTCTL = WDTPW | WDTCNTCL | (WDTCTL & 0xff))

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

#define PORT_OUT     U1TXBUF
#define PORT_IN      U1RXBUF

static void port_close(const struct port_state *was)
{
    while (!(U1TCTL & TXEPT))
        ;
    if (!was->flagged)
        IFG2 &= (uint8_t)~UTXIFG1;
    ME2 = was->enabled;
}

static void flash_piece(uint16_t page, uint16_t at, uint8_t *bytes, uint8_t count)
{
    command(0x03);
    address(page, (uint8_t)at);
    while (count--)
        *bytes++ = exchange(0);
    command_end();
}

#endif

static int16_t port_in(uint32_t looks)
{
    while (!port_has_byte())
        if (looks-- == 0)
            return DUMP_QUIET;
    return PORT_IN;
}

static uint16_t dump_out(uint16_t crc, uint8_t byte)
{
    while (port_full())
        ;
    PORT_OUT = byte;
    return crc16(crc, byte);
}

/* ---- frames ---- */

static uint16_t dump_begin_frame(uint8_t type, uint16_t length)
{
    dump_out(0, DUMP_SYNC_0);
    dump_out(0, DUMP_SYNC_1);
    return dump_out(dump_out(dump_out(0, type), (uint8_t)length), (uint8_t)(length >> 8));
}

/* Returns what the host answers, DUMP_QUIET if nothing that is an answer. */
static int16_t dump_end_frame(uint16_t crc)
{
    int16_t answer;
    dump_out(0, (uint8_t)crc);
    dump_out(0, (uint8_t)(crc >> 8));
    do
        answer = port_in(DUMP_PATIENCE);
    while (answer != DUMP_QUIET && answer != DUMP_GOOD && answer != DUMP_AGAIN && answer != DUMP_ENOUGH);
    DUMP_STILL();
    return answer;
}

static uint16_t dump_numbers(uint16_t crc, const uint16_t *numbers, uint8_t count)
{
    for (; count--; numbers++)
        crc = dump_out(dump_out(crc, (uint8_t)*numbers), (uint8_t)(*numbers >> 8));
    return crc;
}

static int16_t dump_page(uint16_t page)
{
    uint8_t piece[16];
    uint16_t crc = dump_begin_frame(DUMP_PAGE, 2 + PAGE_BYTES);
    crc = dump_numbers(crc, &page, 1);
    for (uint16_t at = 0; at < PAGE_BYTES; at += sizeof piece) {
        uint8_t count = PAGE_BYTES - at < sizeof piece ? PAGE_BYTES - at : sizeof piece;
        flash_piece(MOTET_FLASH_FIRST + page, at, piece, count);
        for (uint8_t i = 0; i < count; i++)
            crc = dump_out(crc, piece[i]);
    }
    return dump_end_frame(crc);
}

static int16_t dump_frame(uint8_t type, uint16_t first, uint16_t second)
{
    uint16_t numbers[2] = {first, second};
    return dump_end_frame(dump_numbers(dump_begin_frame(type, sizeof numbers), numbers, 2));
}

/* Each until the host has it; false where it does not answer or has had enough. */
static uint8_t dump_surely(uint8_t type, uint16_t first, uint16_t second)
{
    for (uint8_t tries = 0; tries < 20; tries++) {
        int16_t answer = type == DUMP_PAGE ? dump_page(first) : dump_frame(type, first, second);
        if (answer == DUMP_GOOD || answer == DUMP_ENOUGH)
            return answer == DUMP_GOOD;
    }
    return 0;
}

static void dump_pages(void)
{
    struct page_header h;
    uint16_t sent = 0;
    if (!dump_surely(DUMP_INTRODUCTION, PAGE_BYTES, MOTET_FLASH_PAGES))
        return;
    for (uint16_t page = 0; page < MOTET_FLASH_PAGES; page++) {
        if (page % 64 == 0)
            DUMP_STILL();
        flash_get(MOTET_FLASH_FIRST + page, (uint8_t *)&h, sizeof h);
        if (h.magic != PAGE_MAGIC)
            continue;
        if (!dump_surely(DUMP_PAGE, page, 0))
            return;
        sent++;
    }
    dump_surely(DUMP_END, sent, 0);
}

static void flush(void);

/* Interrupts are off, nobody else uses the flash, and the flash is not open. */
static __attribute__((noinline)) void dump(void)
{
    struct flash_pins was;
    struct port_state port;
    flush();
    port_open(&port);
    flash_open(&was);
    while (!flash_ready())
        ;
    dump_pages();
    flash_close(&was);
    while (port_in(DUMP_PATIENCE / 10) != DUMP_QUIET) /* commands that were sent again meanwhile */
        ;
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
    int16_t byte;
    while (OWN_PORT && port_waits() && !D.wanted)
        while (!D.wanted && (byte = port_in(DUMP_PATIENCE / 100)) != DUMP_QUIET)
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
