/* What firmware may call of the recorder, which `motet cc` adds. In firmware that does not record all of these are
 * null.
 */
#ifndef KIT_RECORDER_H
#define KIT_RECORDER_H

#include <stdint.h>

void motet_flush(void) __attribute__((weak));  /* writes out all there is, now */
void motet_freeze(void) __attribute__((weak)); /* that, and records no more: what led here is kept */

/* Pages of the log in the flash, after motet_freeze() only: `count` bytes of one, from `at` on. */
enum { MOTET_PAGE_BLANK, MOTET_PAGE_WRITTEN, MOTET_PAGE_BEYOND /* the last */, MOTET_PAGE_BUSY /* try again */ };
uint8_t motet_page(uint16_t page, uint16_t at, uint8_t *to, uint8_t count) __attribute__((weak));
uint16_t motet_page_size(void) __attribute__((weak));
uint16_t motet_page_count(void) __attribute__((weak));

#endif
