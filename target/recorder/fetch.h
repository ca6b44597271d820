/* Pages of a frozen log, for firmware that sends them on itself, over its radio for example (firmware/kit/log_radio.h).
 *
 * Invariant: these are called only after motet_freeze(). The recorder leaves the flash alone then, and no replay comes
 * here, because it ends at the freeze.
 */
#ifndef FETCH_H
#define FETCH_H

#include <stdint.h>

enum { MOTET_PAGE_BLANK, MOTET_PAGE_WRITTEN, MOTET_PAGE_BEYOND, MOTET_PAGE_BUSY };

/* Bytes of a page, from `at` on. BUSY: the flash, or its bus, is in use, or the log is not frozen. */
uint8_t motet_page(uint16_t page, uint16_t at, uint8_t *to, uint8_t count);
uint16_t motet_page_size(void);
uint16_t motet_page_count(void);

#endif
