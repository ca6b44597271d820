/* The ring in RAM in which events wait to be encoded.
 *
 * Invariant: events are put there with interrupts off, a whole event at a time, after ring_has_room() was true; the
 * first event that has no room ends recording (LOSING). One thread takes, the worker, and interrupts may come
 * meanwhile.
 */
#ifndef RING_H
#define RING_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"

/* ---- in ---- */

/* Bytes that are free. A unit stays free for reads that were only counted. */
PRIVATE RING_SIZE ring_room(void);
#ifdef ENTERS_ALL /* assembly calls it */
uint8_t ring_has_room(RING_SIZE size) __asm__("motet_has_room");
#else
PRIVATE uint8_t ring_has_room(RING_SIZE size);
#endif

PRIVATE void ring_put_unit(uint16_t first, uint16_t second);
/* Reads that were only counted. */
PRIVATE void ring_put_again(void);
/* The same, then a unit. */
PRIVATE void ring_put(uint16_t first, uint16_t second);
/* One more read of 8 bits at the site of the last. */
PRIVATE void ring_put_byte(uint8_t value);

/* ---- out ---- */

/* The oldest unit, or NULL. */
PRIVATE uint16_t *ring_oldest(void);
/* The codec is done with the oldest units, up to this one: their places are free. Assembly calls it. */
void motet_ring_take_to(const uint16_t *unit);
PRIVATE SMALL void ring_take(void);

#ifndef MOTET_HOST
#include "port.h"
#include "recorder.h"

static inline const uint16_t *ring_next(const uint16_t *unit)
{
    unit += UNIT / 2;
    return unit == R.ring + MOTET_RING / 2 ? R.ring : unit;
}

/* So many units wait, as far as a byte can tell. */
static inline uint8_t ring_units(void)
{
#ifdef LEAN
    return R.fill / UNIT;
#else
    uint16_t units = port_word(&R.fill) / UNIT;
    return units > 255 ? 255 : (uint8_t)units;
#endif
}

/* No reads are to be added any more to a unit that stands for several. */
static inline void ring_close(void)
{
    port_set_word(&R.again_site, NO_SITE);
}
#endif

#endif
