/* What is encoded, on its way from the codec into pages of the flash, a piece at a time.
 *
 * Invariant: of the bytes of R.out from OUT_FROM to R.out_count, which wait, the first `checked` count for the check of
 * the open page, and the first `sent` are in it; a piece that has gone out is removed by out_settle(), which needs no
 * flash. If none waits both are zero.
 */
#ifndef OUT_H
#define OUT_H

#include <stdint.h>

#include "config.h"

/* ---- for codecs ---- */

PRIVATE void out_put(uint8_t byte);
/* Bytes of program memory. */
PRIVATE SMALL void out_put_constant(const uint8_t *at, uint8_t count);
/* The number that has come out last, all of its bytes, is one more. */
static void out_carry(void) __attribute__((unused));

/* ---- for the worker ---- */

/* The events of a part begin: with the build id, then with what the codec has to say. */
PRIVATE SMALL void out_begin_part(void);

/* What is to go into the page next counts for its check: a whole piece, or, where nothing comes after it, all there is.
 * That takes a while and needs no flash, and so no interrupts off. */
PRIVATE SMALL void out_check(uint8_t ends);
/* What has gone out is not needed any more: this needs no flash either. */
PRIVATE SMALL void out_settle(void);
/* Some bytes go into the page; the page goes into the flash when it is full. */
PRIVATE SMALL uint8_t out_step_page(void);
/* All that belongs to the part is encoded: the rest of it goes into the flash. */
PRIVATE SMALL uint8_t out_step_end(void);
/* A piece of work on what is encoded. Zero if there is nothing to do now. */
PRIVATE uint8_t out_step_flash(void);
/* Encodes a piece for the flash. Whether there is more to encode. Interrupts may come. */
PRIVATE uint8_t out_encode(void);
/* All of these once. Zero if there is nothing to do now. */
PRIVATE SMALL uint8_t out_step(void);
/* Before the first interrupt events are encoded and written where they happen, so that nothing is lost. */
PRIVATE void out_make_room(void);

#ifndef MOTET_HOST
#include "recorder.h"

#ifndef LEAN
/* Of the bytes that wait, which is the first. What an interrupt has left of a piece is not moved each time. */
#ifdef __MSP430__
#define OUT_FROM R.out_from
#else
#define OUT_FROM 0
#endif
/* So many wait. */
static inline uint8_t out_waiting(void)
{
    return R.out_count - OUT_FROM;
}
/* That is worth a piece; on MSP430 less is what an interrupt has left of one. */
static inline uint8_t out_is_wanted(void)
{
    return out_waiting() > (FLASH_BUFFERS == 1 && R.checked ? PIECE / 4 : PIECE);
}
#endif

static inline void out_carry(void)
{
    uint8_t *at = &R.out[R.out_count];
    while (!++*--at)
        ;
}
#endif

#endif
