/* The plain codec: events as they are. The largest, and the easiest to trust. */
#include "codec.h"
#include "out.h"
#include "recorder.h"
#include "ring.h"

PRIVATE void codec_begin(void)
{
    R.behind = R.block = R.bytes = R.byte = 0;
    R.check = 0;
}

static void plain_word(uint16_t word)
{
    out_put((uint8_t)word);
    out_put((uint8_t)(word >> 8));
}

/* Units that belong to the one that begins an event. */
static uint16_t plain_behind(const uint16_t *unit)
{
    switch (unit[0] >> 8) {
    case EVENT_LIBRARY: return 2;
    case EVENT_INTERRUPT:
    case EVENT_BLOCK: return 1;
    default: return 0;
    }
}

/* One of the bytes that were read at the same site. */
static void plain_byte(const uint8_t *bytes)
{
    plain_word(R.last[0]);
    plain_word(bytes[R.byte++]);
    R.bytes--;
    if (R.byte == UNIT || !R.bytes) {
        R.byte = 0;
        ring_take();
    }
}

static void plain_again(uint16_t *unit)
{
    plain_word(R.last[0]);
    plain_word(++R.last[1]);
    if (!(uint8_t)--unit[0])
        ring_take();
}

static void plain_unit(void)
{
    uint16_t *unit = ring_oldest();
    uint8_t again = unit[0] >> 8 == EVENT_AGAIN && !R.behind && !R.bytes;
    if (again && (uint8_t)unit[0] > AGAIN) {
        ring_close(); /* no more of them here */
        R.bytes = unit[0] & (AGAIN - 1);
        R.byte = 2;
        again = 0;
    }
    if (R.bytes) {
        plain_byte((const uint8_t *)unit);
        return;
    }
    if (again) {
        plain_again(unit);
        return;
    }
    if (R.behind) {
        R.behind--;
        if (R.block)
            R.behind = (unit[0] + UNIT - 1) / UNIT; /* its bytes */
        R.block = 0;
    } else {
        R.last[0] = unit[0];
        R.last[1] = unit[1];
        R.behind = plain_behind(unit);
        R.block = unit[0] >> 8 == EVENT_BLOCK;
    }
    plain_word(unit[0]);
    plain_word(unit[1]);
    ring_take();
}

/* Each unit that has come out counts for the check. */
static inline void plain_note(void)
{
    uint8_t at = R.out_count - UNIT;
#ifdef LEAN /* in a ring, of whole units */
    at += R.out_from;
    if (at >= OUT_ROOM)
        at -= OUT_ROOM;
#endif
    const uint8_t *unit = R.out + at;
    R.check = event_note(R.check, (uint16_t)(unit[0] | unit[1] << 8));
    R.check = event_note(R.check, (uint16_t)(unit[2] | unit[3] << 8));
}

/* Most units are written as they are, and there are many. Of an interrupt whose second unit is zero (with cycle stamps
 * most are) that is left out. Zero if this one is another. */
static inline uint8_t plain_copy(void)
{
#ifdef LEAN /* it would only be faster */
    return 0;
#else
    const uint8_t *unit = (const uint8_t *)R.ring + R.tail, *second;
    uint8_t *to = R.out + R.out_count, kind = unit[1], bytes = UNIT;
    uint16_t next = R.tail + UNIT == MOTET_RING ? 0 : R.tail + UNIT;
    if (R.behind > 1 || R.block || R.bytes || (!R.behind && kind >= EVENT_AGAIN && kind != EVENT_INTERRUPT))
        return 0;
    if (R.behind) {
        R.behind = 0;
    } else if (kind == EVENT_INTERRUPT) {
        second = (const uint8_t *)R.ring + next;
        if (second[0] | second[1] | second[2] | second[3]) {
            R.behind = 1;
        } else {
            kind = EVENT_BRIEF;
            next = next + UNIT == MOTET_RING ? 0 : next + UNIT;
            bytes = 2 * UNIT;
        }
    } else {
        R.last[0] = ((const uint16_t *)unit)[0];
        R.last[1] = ((const uint16_t *)unit)[1];
    }
    *to++ = unit[0];
    *to++ = kind;
    *to++ = unit[2];
    *to = unit[3];
    R.out_count += UNIT;
    R.tail = next;
    port_subtract(&R.fill, bytes);
    return 1;
#endif
}

PRIVATE void codec_units(void)
{
    do {
        if (!plain_copy())
            plain_unit();
        plain_note();
    } while (ring_units() && !codec_waits());
}

PRIVATE uint8_t codec_confirm(void)
{
    if (R.behind || R.block || R.out_count + UNIT > OUT_ROOM)
        return 0;
    plain_word(EVENT_NOTICE << 8 | NOTICE_CHECK);
    plain_word(R.check);
    return 1;
}

PRIVATE void codec_flush(void)
{
    codec_confirm();
}
