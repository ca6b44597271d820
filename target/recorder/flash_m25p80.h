/* M25P80 serial flash on TelosB, over USART0, which it shares with the CC2420: used only while neither of them is
 * selected and the USART is idle, and left as it was. Bytes of a page can be programmed a few at a time; a sector of
 * 256 pages has to be erased before, which takes about a second, so pages that are blank already are used as they are.
 */
#include <msp430.h>

enum {
    PAGE_BYTES = 256,
    FLASH_ALL = 4096,
    PIECE = MOTET_CODEC == CODEC_MOTET ? 80 : 32,
    FLASH_BUFFERS = 1,
    FLASH_WRAPS = 1,   /* what goes beyond a page's end is programmed at its beginning */
    FLASH_SECTOR = 256 /* pages erased at once */
};
enum { FLASH_CS = 0x10, FLASH_HOLD = 0x80, RADIO_CS = 0x04 /* port 4 */, BUS_PINS = 0x0e /* port 3 */ };

/* Registers that are given back as they were, all of one byte: first those of the bus, in this order. */
enum { WAS_CONTROL = 5, WAS_ENABLED = 4, WAS_PINS = 7, WAS_FLAGS = 10, WAS_ALL = 11 };
static const uint8_t flash_registers[WAS_ALL] = {U0TCTL_, U0MCTL_, U0BR0_, U0BR1_, ME1_, U0CTL_,
                                                 P3SEL_,  P4OUT_,  P4DIR_, P4SEL_, IFG1_};
struct flash_pins {
    uint8_t had[WAS_ALL];
    uint8_t writes; /* WRITES_NOW: the application has allowed a write, and not begun it; WRITES: it did so once */
};
enum { WRITES_NOW = 1, WRITES = 2 };
#define flash_was_allowed(was) ((was)->writes & WRITES_NOW)
#define flash_is_shared(was)   ((was)->writes)

static SMALL uint8_t flash_status(void);
static SMALL uint8_t flash_ready(void);
static void write_enable(void);

static volatile uint8_t *flash_register(uint8_t i)
{
    return (volatile uint8_t *)(uintptr_t)flash_registers[i];
}

static SMALL uint8_t bus_is_set(uint8_t enabled, uint8_t control)
{
    return (enabled & USPIE0) && (control & (SYNC | MM | SWRST)) == (SYNC | MM);
}

static void flash_pins(void)
{
    P4OUT |= FLASH_CS | FLASH_HOLD;
    P4DIR |= FLASH_CS | FLASH_HOLD;
}

static inline void flash_open(struct flash_pins *was)
{
    for (uint8_t i = 0; i < WAS_ALL; i++)
        was->had[i] = *flash_register(i);
    P4SEL &= (uint8_t) ~(FLASH_CS | FLASH_HOLD);
    flash_pins();
    if (bus_is_set(ME1, U0CTL)) {
        (void)U0RXBUF; /* what nobody has fetched of a transfer that has ended */
    } else {
        U0CTL = SWRST;
        U0CTL = CHAR | SYNC | MM | SWRST;
        U0TCTL = CKPH | SSEL1 | STC;
        U0BR0 = 2;
        U0BR1 = 0;
        U0MCTL = 0;
        ME1 |= USPIE0;
        U0CTL &= (uint8_t)~SWRST;
        P3SEL |= BUS_PINS;
    }
    was->writes &= WRITES;
    if ((flash_status() & 3) == 2)
        was->writes = WRITES | WRITES_NOW;
}

static inline void flash_close(const struct flash_pins *was)
{
    uint8_t i = WAS_PINS;
    if (flash_was_allowed(was)) { /* what was written here has ended that */
        while (!flash_ready())
            ;
        write_enable();
    }
    if (!bus_is_set(was->had[WAS_ENABLED], was->had[WAS_CONTROL])) {
        U0CTL = SWRST;
        i = 0;
    }
    for (; i < WAS_FLAGS; i++)
        *flash_register(i) = was->had[i];
    IFG1 &= (uint8_t) ~(URXIFG0 | UTXIFG0);
    IFG1 |= was->had[WAS_FLAGS] & (URXIFG0 | UTXIFG0);
}

#ifndef MOTET_NO_CHECKPOINT
static void save_bytes(uint16_t at, const void *from, uint8_t count);

/* What registers had before flash_open(), into a checkpoint. */
enum { FLASH_PINS_SAVED = 5 * WAS_FLAGS };
static inline void flash_save_pins(const struct flash_pins *was)
{
    for (uint8_t i = 0; i < WAS_FLAGS; i++)
        save_bytes(flash_registers[i], &was->had[i], 1);
}
#endif

/* Somebody is using the bus: a chip is selected, a byte is on its way or will be fetched by a handler, or it is
 * another kind of bus now. */
static uint8_t flash_taken(void)
{
    if (P4DIR & (uint8_t)~P4OUT & (RADIO_CS | FLASH_CS))
        return 1;
    if (bus_is_set(ME1, U0CTL))
        return !(U0TCTL & TXEPT) || ((IFG1 & URXIFG0) && (IE1 & URXIE0)) || !(IFG1 & UTXIFG0);
    return !(U0CTL & SWRST);
}

/* The radio has a frame on its way in or out (SFD), or one that has not been fetched (FIFO): its driver will want the
 * bus, and at its time. With low-power listening nothing is written then but while the radio sleeps. */
static uint8_t flash_waits(void)
{
    enum { SFD = 0x02 /* port 4 */, FIFO = 0x08 /* port 1 */ };
    return (P4IN & SFD) || (P1IN & FIFO);
}

static SMALL uint8_t exchange(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static void command(uint8_t code)
{
    P4OUT &= (uint8_t)~FLASH_CS;
    exchange(code);
}

static void address(uint16_t page, uint8_t byte)
{
    exchange((uint8_t)(page >> 8));
    exchange((uint8_t)page);
    exchange(byte);
}

static SMALL void command_end(void)
{
    P4OUT |= FLASH_CS;
}

/* Bit 0: it programs or erases; bit 1: it would if told so. */
static SMALL uint8_t flash_status(void)
{
    command(0x05);
    uint8_t status = exchange(0);
    command_end();
    return status;
}

static SMALL void flash_wake(void)
{
    command(0xab); /* from deep power-down, where somebody has put it */
    for (uint8_t i = 0; i < 4; i++)
        exchange(0);
    command_end();
}

/* In deep power-down it says nothing, which is no status that it has: TinyOS puts it there when it starts. */
static SMALL uint8_t flash_ready(void)
{
    uint8_t status = flash_status();
    if (status == 0xff)
        flash_wake();
    return !(status & 1);
}

static void write_enable(void)
{
    command(0x06);
    command_end();
}

/* Then bytes by flash_send(). */
static SMALL void flash_put(uint8_t buffer, uint16_t page, uint16_t at)
{
    (void)buffer;
    write_enable();
    command(0x02);
    address(page, (uint8_t)at);
}

#define flash_send exchange

/* Each byte goes into the buffer while the one before is on its way. */
static inline void flash_send_all(const uint8_t *at, uint8_t count)
{
    do {
        while (!(IFG1 & UTXIFG0))
            ;
        U0TXBUF = *at++;
    } while (--count);
    while (!(U0TCTL & TXEPT))
        ;
    (void)U0RXBUF;
}

static void flash_put_end(void)
{
    command_end();
}

static void flash_commit(uint8_t buffer, uint16_t page)
{
    (void)buffer, (void)page;
}

/* Then bytes by exchange(0), and command_end(). */
static SMALL void flash_read(uint16_t page)
{
    command(0x03);
    address(page, 0);
}

/* Whether a page can be written as it is, and a sector by its first one: pages are used in order, and what is written
 * first into one stands behind the header. To look at all of it would take longer than to write it. */
static SMALL uint8_t flash_is_erased(uint16_t page)
{
    uint8_t all = 0xff, count = 2 * sizeof(struct page_header);
    flash_read(page);
    do
        all &= exchange(0);
    while (--count);
    command_end();
    return all == 0xff;
}

/* The sector that begins with the page. */
static void flash_erase(uint16_t page)
{
    write_enable();
    command(0xd8);
    address(page, 0);
    command_end();
}
