#include "flash.h"

#include "checkpoint.h"
#include "page.h"
#include "port.h"
#include "recorder.h"

enum { FLASH_CS = 0x10, FLASH_HOLD = 0x80 /* port 4 */, BUS_PINS = 0x0e /* port 3 */ };

/* Registers that are given back as they were, all of one byte, and which of them had[] has where: those of the bus, and
 * those of pins with what tells whether the bus is set. One by one, not in a loop: interrupts are off. */
#define FLASH_KEEP_BUS(X) X(0, U0TCTL) X(1, U0MCTL) X(2, U0BR0) X(3, U0BR1) X(6, P3SEL)
#define FLASH_KEEP_PINS(X) \
    X(WAS_ENABLED, ME1) X(WAS_CONTROL, U0CTL) X(7, P4OUT) X(8, P4DIR) X(9, P4SEL) X(WAS_FLAGS, IFG1)
#define FLASH_KEEP(i, name)      was->had[i] = name;
#define FLASH_GIVE_BACK(i, name) name = was->had[i];

static SMALL uint8_t flash_status(void);
static void flash_write_enable(void);

static inline uint8_t flash_bus_is_set(uint8_t enabled, uint8_t control)
{
    return (enabled & USPIE0) && (control & (SYNC | MM | SWRST)) == (SYNC | MM);
}

PRIVATE void flash_pins(void)
{
    P4OUT |= FLASH_CS | FLASH_HOLD;
    P4DIR |= FLASH_CS | FLASH_HOLD;
}

static inline void flash_open(struct flash_pins *was)
{
    FLASH_KEEP_PINS(FLASH_KEEP)
#ifndef LEAN
    FLASH_KEEP_BUS(FLASH_KEEP)
#endif
    P4SEL &= (uint8_t) ~(FLASH_CS | FLASH_HOLD);
    flash_pins();
    was->set = flash_bus_is_set(was->had[WAS_ENABLED], was->had[WAS_CONTROL]);
    if (was->set) {
        (void)U0RXBUF; /* what was not fetched of a transfer that has ended */
    } else {
#ifdef LEAN
        FLASH_KEEP_BUS(FLASH_KEEP)
#endif
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
}

/* What the flash says: whether it is ready, and whether the application has allowed a write. */
static inline void flash_ask(struct flash_pins *was)
{
    uint8_t status = flash_status();
    was->status = status;
    was->writes &= WRITES;
    if ((status & 3) == 2)
        was->writes = WRITES | WRITES_NOW;
    if (status & 1)
        was->writes |= WAS_BUSY;
}

static inline void flash_close(const struct flash_pins *was)
{
    if (was->writes) {
        if ((was->writes & (WRITES | WAS_BUSY)) == WRITES) /* who found it ready may not ask again */
            while (!flash_ready())
                ;
        if (flash_was_allowed(was)) /* what was written here has ended that */
            flash_write_enable();
    }
    if (!was->set) {
        U0CTL = SWRST;
        FLASH_KEEP_BUS(FLASH_GIVE_BACK)
        ME1 = was->had[WAS_ENABLED];
        U0CTL = was->had[WAS_CONTROL];
    }
    P4OUT = was->had[7];
    P4DIR = was->had[8];
    P4SEL = was->had[9];
    IFG1 &= (uint8_t) ~(URXIFG0 | UTXIFG0);
    IFG1 |= was->had[WAS_FLAGS] & (URXIFG0 | UTXIFG0);
}

PRIVATE SMALL void flash_borrow(void)
{
    flash_open(&R.pins);
    flash_ask(&R.pins);
}

#ifdef LEAN
PRIVATE SMALL void flash_return(void)
{
    flash_close(&R.pins);
}
#else /* without calls: it is on an interrupt's way */
void motet_flash_end(void)
{
    R.holds = 0;
    while (!(U0TCTL & TXEPT))
        ;
    (void)U0RXBUF;
    P4OUT |= FLASH_CS;
    flash_close(&R.pins);
}
#endif

#ifndef MOTET_NO_CHECKPOINT
PRIVATE void flash_save_pins(const struct flash_pins *was)
{
    static const uint8_t registers[WAS_FLAGS] = {U0TCTL_, U0MCTL_, U0BR0_, U0BR1_, ME1_,
                                                 U0CTL_,  P3SEL_,  P4OUT_, P4DIR_, P4SEL_};
    for (uint8_t i = 0; i < WAS_FLAGS; i++)
        checkpoint_bytes(registers[i], &was->had[i], 1);
}
#endif

/* The USART is a serial port, or a bus of another kind. TinyOS takes it out of reset and leaves all of it disabled. */
static inline uint8_t flash_bus_is_other(void)
{
    if ((U0CTL & (I2C | SYNC)) == (I2C | SYNC))
        return U0CTL & I2CEN;
    return !(U0CTL & SWRST) && (ME1 & (UTXE0 | URXE0));
}

/* A chip is selected, a byte is on its way or will be fetched by a handler, or it is another kind of bus now. */
PRIVATE uint8_t flash_taken(void)
{
    if (P4DIR & (uint8_t)~P4OUT & (RADIO_CS | FLASH_CS))
        return 1;
    if (flash_bus_is_set(ME1, U0CTL))
        return !(U0TCTL & TXEPT) || ((IFG1 & URXIFG0) && (IE1 & URXIE0)) || !(IFG1 & UTXIFG0);
    return flash_bus_is_other();
}

/* The radio has a frame on its way in or out (SFD), or one that has not been fetched (FIFO): its driver will want the
 * bus, and at its time. With low-power listening nothing is written then but while the radio sleeps. */
PRIVATE uint8_t flash_waits(void)
{
    enum { SFD = 0x02 /* port 4 */, FIFO = 0x08 /* port 1 */ };
    return (P4IN & SFD) || (P1IN & FIFO);
}

PRIVATE SMALL uint8_t flash_exchange(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static void flash_command(uint8_t code)
{
    P4OUT &= (uint8_t)~FLASH_CS;
    flash_exchange(code);
}

/* A command with an address: each byte goes into the buffer while the one before is on its way, and so may those that
 * follow. */
#define FLASH_GIVE(out)           \
    do {                          \
        while (!(IFG1 & UTXIFG0)) \
            ;                     \
        U0TXBUF = out;            \
    } while (0)
static SMALL void flash_command_at(uint8_t code, uint16_t page, uint8_t byte)
{
    P4OUT &= (uint8_t)~FLASH_CS;
    U0TXBUF = code;
    FLASH_GIVE((uint8_t)(page >> 8));
    FLASH_GIVE((uint8_t)page);
    FLASH_GIVE(byte);
}

PRIVATE SMALL void flash_end(void)
{
    P4OUT |= FLASH_CS;
}

/* Bit 0: it programs or erases; bit 1: it would on command. */
static SMALL uint8_t flash_status(void)
{
    P4OUT &= (uint8_t)~FLASH_CS;
    U0TXBUF = 0x05; /* without calls: interrupts are off */
    while (!(IFG1 & UTXIFG0))
        ;
    U0TXBUF = 0;
    while (!(U0TCTL & TXEPT))
        ;
    P4OUT |= FLASH_CS;
    return U0RXBUF;
}

static SMALL void flash_wake(void)
{
    flash_command(0xab); /* from deep power-down, where the application has put it */
    for (uint8_t i = 0; i < 4; i++)
        flash_exchange(0);
    flash_end();
}

/* In deep power-down it says nothing, which is no status that it has: TinyOS puts it there when it starts. */
#ifdef LEAN
PRIVATE SMALL uint8_t flash_was_ready(void)
#else
PRIVATE SMALL uint8_t flash_woken(void)
#endif
{
    if (R.pins.status == 0xff)
        flash_wake();
    return !(R.pins.status & 1);
}
#ifdef LEAN
PRIVATE SMALL uint8_t flash_ready(void)
#else
PRIVATE SMALL uint8_t flash_asked(void)
#endif
{
    if (R.pins.status & 1)
        R.pins.status = flash_status();
    return flash_was_ready();
}

static void flash_write_enable(void)
{
    P4OUT &= (uint8_t)~FLASH_CS;
    U0TXBUF = 0x06;
    while (!(U0TCTL & TXEPT))
        ;
    P4OUT |= FLASH_CS;
}

PRIVATE SMALL void flash_put(uint8_t buffer, uint16_t page, uint16_t at)
{
    (void)buffer;
    flash_write_enable();
    flash_command_at(0x02, page, (uint8_t)at);
    R.pins.status = 1;
}

PRIVATE void flash_put_end(void)
{
    flash_end();
}

#ifndef LEAN
PRIVATE SMALL uint8_t flash_let_in(void)
{
    if (!R.inside || !R.holds)
        return 1;
    port_let_in();
    return R.holds;
}

PRIVATE uint8_t flash_put_on(uint16_t page, uint16_t at, const uint8_t *bytes, uint8_t count)
{
    enum { FIRST = 24, STRIDE = 8 }; /* a command costs as much as its first bytes */
    uint8_t left = count, most = R.pressed ? STRIDE : FIRST;
    flash_put(0, page, at);
    do {
        uint8_t some = left < most ? left : most;
        most = STRIDE;
        bytes = flash_give_all(bytes, some);
        left -= some;
        if (!flash_let_in())
            return count - left;
    } while (left);
    flash_settle();
    flash_put_end();
    return count;
}
#endif

PRIVATE void flash_commit(uint8_t buffer, uint16_t page)
{
    (void)buffer, (void)page;
}

PRIVATE SMALL void flash_read(uint16_t page)
{
    flash_command_at(0x03, page, 0);
    flash_settle();
}

/* Whether a page can be written as it is, and a sector by its first one: pages are used in order, and what is written
 * first into one stands after the header. To look at all of it would take longer than to write it. */
PRIVATE SMALL uint8_t flash_is_blank(uint16_t page, uint8_t at, uint8_t count)
{
    uint8_t all = 0xff;
    flash_command_at(0x03, page, at);
    flash_settle();
    do {
        U0TXBUF = 0;
        while (!(IFG1 & URXIFG0))
            ;
        all &= U0RXBUF;
    } while (--count);
    flash_end();
    return all == 0xff;
}
PRIVATE void flash_erase(uint16_t page)
{
    if (!flash_was_allowed(&R.pins))
        R.pins.writes |= WAS_BUSY; /* that takes too long to be waited for */
    flash_write_enable();
    flash_command_at(0xd8, page, 0);
    flash_settle();
    flash_end();
    R.pins.status = 1;
}
