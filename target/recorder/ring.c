#include "ring.h"

#include "lean.h"
#include "worker.h"

PRIVATE RING_SIZE ring_room(void)
{
#ifdef LEAN /* where all of it is one more than a byte can tell */
    return R.fill > MOTET_RING - 2 * UNIT ? 0 : MOTET_RING - 2 * UNIT - R.fill;
#else
    return R.fill + UNIT > MOTET_RING ? 0 : MOTET_RING - UNIT - R.fill;
#endif
}

static inline RING_SIZE ring_after(RING_SIZE at)
{
#ifdef LEAN
    return (at + UNIT) & (MOTET_RING - 1);
#else
    return at + UNIT == MOTET_RING ? 0 : at + UNIT;
#endif
}

static inline uint8_t ring_lacks(RING_SIZE size)
{
#if defined LEAN && defined __MSP430__
    return (int)R.fill > MOTET_RING - 2 * UNIT - (int)size;
#else
    return ring_room() < size;
#endif
}

/* What comes next is not compared with the last read. */
static inline void ring_forget(void)
{
#if defined READS_ALL && defined __AVR__ /* no site has this high byte (lean_avr.S) */
    ((uint8_t *)&R.again_site)[1] = NO_SITE >> 8;
#else
    R.again_site = NO_SITE;
#endif
}

/* Where the firmware waits, for so much that what follows need not: handlers would be interrupted over and over. */
#ifdef LEAN
static void ring_make_room(RING_SIZE size)
{
    /* before the first interrupt nothing waits for the firmware; then interrupts are off: no more than is needed */
#ifdef __MSP430__ /* where no piece of work is done before there is no room */
    enum { ENOUGH = 8 };
#else
    enum { ENOUGH = 1 };
#endif
    uint16_t patience = WHEN_FULL_WAITS || !R.lives ? 0xffff : ENOUGH;
    while ((lean_piece() || !flash_taken()) && --patience && ring_lacks(size))
        ;
}
#else
static void ring_make_room(RING_SIZE size)
{
    (void)size;
    uint16_t patience = WHEN_FULL_WAITS ? 0xffff : 1;
    do
        worker_go_on();
    while (--patience && R.fill > MOTET_RING / 4);
}
#endif

#ifndef ENTERS_ALL
PRIVATE
#endif
uint8_t ring_has_room(RING_SIZE size)
{
#ifndef LEAN
    if (R.state == RECORDING && !R.lives && ring_room() < NEARLY)
        worker_do(WANT_ROOM);
#endif
    if (R.state == RECORDING && ring_lacks(size))
        ring_make_room(size);
    if (R.state == RECORDING) {
        if (!ring_lacks(size))
            return 1;
        R.state = LOSING;
    }
    ring_forget();
    return 0;
}

#ifdef LEAN
#define RING_HEAD ((RING_SIZE)((R.tail + R.fill) & (MOTET_RING - 1)))
#else
#define RING_HEAD R.head
#endif

PRIVATE void ring_put_unit(uint16_t first, uint16_t second)
{
    uint16_t *unit = (uint16_t *)((uint8_t *)R.ring + RING_HEAD);
    unit[0] = first;
    unit[1] = second;
#ifndef LEAN
    R.head = ring_after(R.head);
#endif
    R.fill += UNIT;
}

PRIVATE void ring_put_again(void)
{
#ifdef PORT_AGAIN
    if (R.again_count)
        ring_put_unit((uint16_t)(EVENT_AGAIN << 8 | R.again_count), 0);
    R.again_count = 0;
#endif
    ring_forget();
}

PRIVATE void ring_put(uint16_t first, uint16_t second)
{
    ring_put_again();
    ring_put_unit(first, second);
}

#ifndef READS_ALL
/* One more read of 8 bits at the site of the last: bytes of a packet take a byte each. While there are such reads,
 * again_site has WIDE, which no site has by itself, and again_next is where in the ring they are counted. */
PRIVATE void ring_put_byte(uint8_t value)
{
    uint16_t *unit = &R.ring[R.again_next / 2];
    if (R.again_next == NO_RUN || !R.fill || (uint8_t)*unit == 0xff) {
        R.again_next = RING_HEAD;
        ring_put_unit(EVENT_AGAIN << 8 | AGAIN | 1, value);
        return;
    }
    uint8_t count = *unit & (AGAIN - 1), at = (uint8_t)(count - 2) % UNIT;
    ++*unit;
    if (at == 0)
        ring_put_unit(value, 0);
    else
        ((uint8_t *)R.ring)[(RING_HEAD ? RING_HEAD : MOTET_RING) - UNIT + at] = value;
}
#endif

#ifdef LEAN
PRIVATE uint16_t *ring_oldest(void)
{
    return (uint16_t *)((uint8_t *)R.ring + R.tail);
}

PRIVATE SMALL void ring_take(void)
{
    R.tail = ring_after(R.tail);
    R.fill -= UNIT;
}
#else
PRIVATE uint16_t *ring_oldest(void)
{
    return R.fill ? &R.ring[R.tail / 2] : NULL;
}

SMALL void motet_ring_take_to(const uint16_t *unit)
{
    uint16_t tail = (uint16_t)((uintptr_t)unit - (uintptr_t)R.ring), bytes = tail - R.tail;
    if (tail < R.tail)
        bytes += MOTET_RING;
    R.tail = tail;
    port_subtract(&R.fill, bytes);
}

PRIVATE SMALL void ring_take(void)
{
    motet_ring_take_to(ring_next(ring_oldest()));
}
#endif
