/* Pages of the log: two streams of them go into the flash, events, and now and then a checkpoint.
 *
 * The flash is a ring: the page with sequence number q takes the place of the one with q - MOTET_FLASH_PAGES.
 * Invariants: a page in the flash that passes its check holds what was recorded, in order, and one that was being
 * written when power failed does not pass it; the pages from R.start on, where the newest start that can be replayed
 * has its first, are not overwritten. The flash is borrowed (flash.h) by the callers.
 */
#ifndef PAGES_H
#define PAGES_H

#include "recorder.h"

/* Where a page is in the flash, counted from MOTET_FLASH_FIRST. */
static inline uint16_t page_place(uint32_t sequence)
{
    return (uint16_t)(sequence % MOTET_FLASH_PAGES);
}

/* Pages written since the newest start, its own included. */
PRIVATE SMALL uint16_t page_since_start(void);

/* The stream has a page, and bytes can go there. False if it takes longer. */
PRIVATE SMALL uint8_t page_open(struct stream *s);
/* It takes longer, and has got further. */
static inline uint8_t page_comes(void)
{
#ifdef __MSP430__
    return R.looked;
#else
    return 0;
#endif
}
/* So many bytes go after those that are in the page already. Returns how many have: on MSP430 an interrupt may come,
 * and then the flash is given back. */
PRIVATE uint8_t page_put_payload(const struct stream *s, const uint8_t *bytes, uint8_t count);
/* They will be sent, with interrupts off all the time. */
PRIVATE SMALL void page_begin_payload(const struct stream *s);
/* The header is complete, and counts for the check. This needs no flash. */
PRIVATE SMALL void page_seal(struct stream *s);
/* With the header the page counts, which goes into the flash then: one of these at a time, for interrupts are off. Zero
 * if the flash is busy. The page is sealed. */
PRIVATE SMALL uint8_t page_close_on(struct stream *s);

/* Of events. */
PRIVATE uint8_t page_is_full(void);
PRIVATE uint8_t page_is_wanted(void);
PRIVATE void page_mark_last(void);
/* What kind of page it is, and the next ones are. One that is sealed fits its check all the same. */
PRIVATE SMALL void page_mark(uint8_t kind);

/* Sectors are erased before they are needed, when nothing in them is. */
PRIVATE uint8_t page_erase_ahead(void);

#endif
