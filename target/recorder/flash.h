/* The external flash that the log is kept in: pages, written a few bytes at a time.
 *
 * A driver (flash_at45db.h, flash_m25p80.h) says how large it is: PAGE_BYTES; FLASH_ALL, pages; PIECE, bytes that are
 * written at once; FLASH_BUFFERS of the chip; FLASH_SECTOR, pages erased at once. Invariant: the application's
 * registers and pins are as it left them whenever it runs: all but flash_pins() and flash_taken() is done between
 * flash_borrow() and flash_return(), with interrupts off.
 */
#ifndef FLASH_H
#define FLASH_H

#include <stdint.h>

#include "config.h"

#ifdef __AVR__
#include "flash_at45db.h"
#else
#include "flash_m25p80.h"
#endif

/* Of the pins that are the flash's alone: also executed in replay, the registers agree. */
PRIVATE void flash_pins(void);

/* The application, or another chip, is using the bus: it cannot be borrowed. */
PRIVATE uint8_t flash_taken(void);
/* It can, but the application will want the bus soon. */
PRIVATE uint8_t flash_waits(void);

/* The bus is taken, and its registers kept in R.pins; and given back. */
PRIVATE SMALL void flash_borrow(void);
#if defined LEAN || !defined __MSP430__
PRIVATE SMALL void flash_return(void);
#else /* assembly calls it, where an interrupt comes in between: a command that is under way ends, too */
void motet_flash_end(void);
#define flash_return motet_flash_end
#endif
/* What registers had before, into a checkpoint: FLASH_PINS_SAVED bytes. */
PRIVATE void flash_save_pins(const struct flash_pins *was);

/* Whether it has ended the last command. One that was found ready is not asked again. */
#ifndef flash_ready
PRIVATE SMALL uint8_t flash_ready(void);
#endif
#ifndef flash_was_ready /* when it was borrowed, which costs nothing to ask */
PRIVATE SMALL uint8_t flash_was_ready(void);
#endif

/* Bytes into a page from `at` on: flash_put(), flash_send_all(), flash_put_end(). They are there after flash_commit(),
 * or at once where there is no buffer. */
PRIVATE SMALL void flash_put(uint8_t buffer, uint16_t page, uint16_t at);
PRIVATE void flash_put_end(void);
PRIVATE void flash_commit(uint8_t buffer, uint16_t page);
#if !defined LEAN && defined __MSP430__
/* The same at once; returns how many are in the page: where the worker has interrupts on, they are let in after some
 * bytes, and one that comes ends it, and gives the flash back. */
PRIVATE uint8_t flash_put_on(uint16_t page, uint16_t at, const uint8_t *bytes, uint8_t count);
/* Interrupts are let in where the worker has them on and R.holds. Zero if one came: the flash is given back. */
PRIVATE SMALL uint8_t flash_let_in(void);
#endif

/* A page's bytes: flash_read(), flash_exchange(0) for each, flash_end(). */
PRIVATE SMALL void flash_read(uint16_t page);
PRIVATE SMALL uint8_t flash_exchange(uint8_t out);
PRIVATE SMALL void flash_end(void);

/* Whether some bytes of a page are erased: those that tell whether it can be written as it is, and a sector by its
 * first one, are the first FLASH_LOOKS, of which FLASH_LOOK are looked at at once. */
#ifdef __MSP430__
PRIVATE uint8_t flash_is_blank(uint16_t page, uint8_t at, uint8_t count);
#endif
/* The sector that begins with the page. */
PRIVATE void flash_erase(uint16_t page);

#endif
