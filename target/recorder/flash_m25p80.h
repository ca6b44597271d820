/* M25P80 serial flash on TelosB, over USART0, which it shares with the CC2420: used only while neither of them is
 * selected and the USART is idle, and left as it was. Bytes of a page can be programmed a few at a time; a sector of
 * 256 pages has to be erased before, which takes about a second, so pages that are blank already are used as they are.
 * Part of flash.h. */
#ifndef FLASH_M25P80_H
#define FLASH_M25P80_H

#include <msp430.h>
#include <stdint.h>

#include "config.h"

enum {
    PAGE_BYTES = 256,
    FLASH_ALL = 4096,
    PIECE = MOTET_PIECE,
    FLASH_BUFFERS = 1,
    FLASH_SECTOR = 256 /* pages erased at once */
};

/* Registers that are given back as they were (flash_m25p80.c). */
enum { WAS_CONTROL = 5, WAS_ENABLED = 4, WAS_PINS = 7, WAS_FLAGS = 10, WAS_ALL = 11 };
enum { FLASH_PINS_SAVED = 5 * WAS_FLAGS };
struct flash_pins {
    uint8_t had[WAS_ALL];
    uint8_t set;    /* the bus was as it has to be */
    uint8_t status; /* of the flash when it was borrowed, or asked for since */
    uint8_t writes; /* WRITES_NOW: the application has allowed a write, and not begun it; WRITES: it did so once;
                     * WAS_BUSY: the flash is left busy, as it was found, or because it erases */
};
enum { WRITES_NOW = 1, WRITES = 2, WAS_BUSY = 4 };
#define flash_was_allowed(was) ((was)->writes & WRITES_NOW)

enum { RADIO_CS = 0x04 /* port 4 */ };

#ifdef LEAN
#define FLASH_INLINE inline
#else /* without calls, also where it is known already: interrupts are off */
#define FLASH_INLINE      inline __attribute__((always_inline))
#define flash_ready()     (!(R.pins.status & 1) || flash_asked())
#define flash_was_ready() (!(R.pins.status & 1) || flash_woken())
PRIVATE SMALL uint8_t flash_asked(void);
PRIVATE SMALL uint8_t flash_woken(void);
#endif

/* All has gone out. */
static FLASH_INLINE void flash_settle(void)
{
    while (!(U0TCTL & TXEPT))
        ;
    (void)U0RXBUF;
}

/* Each byte goes into the buffer while the one before is on its way. */
static FLASH_INLINE const uint8_t *flash_give_all(const uint8_t *at, uint8_t count)
{
    do {
        while (!(IFG1 & UTXIFG0))
            ;
        U0TXBUF = *at++;
    } while (--count);
    return at;
}
static inline void flash_send_all(const uint8_t *at, uint8_t count)
{
    flash_give_all(at, count);
    flash_settle();
}

/* The page is erased where so many of its first bytes are; it can be looked at some at a time. */
enum { FLASH_LOOKS = 32, FLASH_LOOK = 4 };

#endif
