/* Writing out: bytes of the buffer, as pages (../recorder/page.h), a little at a time.
 *
 * Invariant: interrupts are off in all of these, for some hundred cycles at most.
 */
#ifndef OUT_H
#define OUT_H

#include <stdint.h>

extern const uint8_t motet_build_id[], motet_build_id16[], motet_build_id32[], motet_build_id48[];

static void out_begin(const uint8_t *from, const uint8_t *to); /* a page of these */
static uint8_t out_busy(void);                                 /* a page is under way */
static uint8_t out_step(void);                                 /* a little of it; whether it was the last */
static uint8_t *out_end(void);                                 /* what comes after its bytes in the buffer */
static uint8_t out_held(void);                                 /* others need its bus now */
static uint8_t out_draining(void);                             /* the port still sends: sleep might end that */

#ifdef LOG_FLASH
#include "out_flash.h"
#else
#include "out_serial.h"
#endif

#endif
