/* Writing out: bytes of the logger (`from` to `to`), as pages (../recorder/page.h), a little at a time.
 *
 * Invariant: interrupts are off in all of these, for some hundred cycles at most.
 */
#ifndef OUT_H
#define OUT_H

#include <stdint.h>

#include "../recorder/page.h"

extern const uint8_t motet_build_id[], motet_build_id16[], motet_build_id32[], motet_build_id48[];
enum { OUT_CODEC = 5 }; /* over a serial port; in a flash memory it is 4 */

struct log;
static void log_written(struct log *l); /* the page is out: for the next */

static void out_begin(struct log *l);         /* a page of its bytes, or none yet */
static uint8_t out_busy(const struct log *l); /* a page is under way */
static void out_step(struct log *l);          /* a little of it */
static uint8_t out_held(void);                /* others need its bus now */
static uint8_t out_draining(void);            /* the port still sends: sleep might end that */

#endif
