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
/* The next bytes come after those that are in the page already. */
PRIVATE SMALL void page_begin_payload(const struct stream *s);
PRIVATE SMALL void page_put(struct stream *s, uint8_t byte);
/* The header is complete, and counts for the check. This needs no flash. */
PRIVATE SMALL void page_seal(struct stream *s);
/* That, and the header after what is on its way into the page: with it the page counts. */
PRIVATE SMALL void page_end(struct stream *s);
/* Part of that: sealed, or the header is there, or the page goes into the flash, which closes it. Interrupts are off
 * for no longer than that. */
PRIVATE SMALL void page_close_on(struct stream *s);

/* Of events. */
PRIVATE SMALL uint8_t page_is_full(void);
PRIVATE uint8_t page_is_wanted(void);
PRIVATE SMALL void page_mark_last(void);
/* What kind of page it is, and the next ones are. One that is sealed fits its check all the same. */
PRIVATE SMALL void page_mark(uint8_t kind);
PRIVATE uint8_t page_step_close(void);

/* Sectors are erased before they are needed, when nothing in them is. */
PRIVATE uint8_t page_erase_ahead(void);

#endif
