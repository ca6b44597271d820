/* A codec: events out of the ring, bytes into R.out.
 *
 * There are four (docs/node-logs.md), of which MOTET_CODEC says one. Invariant: what has come out up to a
 * codec_flush() can be decoded by itself.
 */
#ifndef CODEC_H
#define CODEC_H

#include "codec_tardis.h"
#include "config.h"
#include "event.h"

/* Bytes that a unit of the ring can become; and whether bytes that have come out may still change. With codec tardis a
 * unit can end chunks of all streams; with codec motet every decision of an interrupt in library code may be the least
 * likely one. */
#if MOTET_CODEC == CODEC_PLAIN
enum { CODEC_MOST = UNIT, CODEC_CARRIES = 0 };
#elif MOTET_CODEC == CODEC_TARDIS
enum { CODEC_MOST = 4 * (1 + TARDIS_CHUNK), CODEC_CARRIES = 0 };
#elif MOTET_CODEC == CODEC_BITS /* 170 bits of an interrupt in library code, and those that waited for the byte's end \
                                 */
enum { CODEC_MOST = 23, CODEC_CARRIES = 0 };
#else
enum { CODEC_MOST = 36, CODEC_CARRIES = 1 };
#endif
_Static_assert(2 * CODEC_MOST <= MOTET_AHEAD || MOTET_CODEC == CODEC_TARDIS /* waits for the flash */,
               "what is encoded last, a mark and the end, must have room");
_Static_assert(MOTET_AHEAD >= CODEC_MOST, "a unit can always be encoded when no whole piece waits");

/* In assembly (bits_avr.S), or not. */
#ifdef BITS_ASSEMBLY
#define CODEC_PRIVATE
#define CODEC_NAMED(name) __asm__(name)
#else
#define CODEC_PRIVATE PRIVATE
#define CODEC_NAMED(name)
#endif

/* A part begins. */
PRIVATE void codec_begin(void);
/* At least one of the units there are, and more until the codec has to wait. */
#if defined CODER_ASSEMBLY || defined BITS_ASSEMBLY
void codec_units(void) __asm__("motet_codec_units"); /* reads_avr.S, reads_msp430.S, bits_avr.S */
#else
PRIVATE void codec_units(void);
#endif
/* Writes what all events of the part so far come to, for replay to compare. Zero if it has to wait for the end of one.
 */
CODEC_PRIVATE uint8_t codec_confirm(void) CODEC_NAMED("motet_codec_confirm");
/* All that was encoded so far can be decoded from what comes out, and is checked. */
CODEC_PRIVATE void codec_flush(void) CODEC_NAMED("motet_codec_flush");

#ifndef MOTET_HOST
#include "recorder.h"
#include "worker.h"

/* There is enough for the flash, or no room for what another unit can become, or the worker is wanted for something
 * else, or holds up others. */
static inline uint8_t codec_waits(void)
{
#ifdef LEAN /* a piece of work is little */
    return MOTET_CODEC != CODEC_PLAIN || R.tail % (4 * UNIT) == 0 || R.out_count > OUT_ROOM - CODEC_MOST;
#else
    if (MOTET_CODEC != CODEC_PLAIN || R.tail % (4 * UNIT) == 0) /* a unit of the plain codec is little work */
        worker_breathe();
    return R.out_count > *(volatile uint8_t *)&R.out_most || worker_holds_up();
#endif
}
#endif

#endif
