/* The motet codec where events happen: what is certain only makes a stretch longer, what is not goes into the ring.
 *
 * Part of recorder.c. A stretch has its unit in the ring before its reads, though its end is not known yet: that unit
 * and what follows it are *pending*, behind R.head, and count as filled (R.fill) only when the stretch has ended.
 * Invariant: there is always room for the unit of the next stretch.
 */
#include "codec_motet.h"

struct coder {
    uint16_t low, range;
    uint8_t byte, waits; /* the last one, which a carry may still change, if there is one */
    uint8_t full;        /* so many 0xff behind it */
};
enum { MOST_FULL = 8 };

static struct codec {
    struct predictor predictor;
    uint8_t length;   /* of the stretch under way */
    uint8_t unsure;   /* reads of it that are in the ring */
    uint16_t pending; /* bytes */
    uint8_t check;    /* of the stretch that is being encoded */
    struct coder coder;
    struct model model;
} motet_codec __attribute__((section(".noinit")));
#define CODEC motet_codec

static inline uint16_t ring_room(void)
{
    return MOTET_RING - UNIT - R.fill - CODEC.pending;
}

static void append(uint16_t first, uint16_t second)
{
    uint16_t at = R.head + CODEC.pending;
    if (at >= MOTET_RING)
        at -= MOTET_RING;
    R.ring[at / 2] = first;
    R.ring[at / 2 + 1] = second;
    CODEC.pending += UNIT;
}

/* The stretch has ended, in a way that is in the ring by now unless it is cut; the next one begins. */
static void end_stretch(uint8_t how, uint8_t check)
{
    R.ring[R.head / 2] = (uint16_t)(EVENT_STRETCH << 8 | how);
    R.ring[R.head / 2 + 1] = (uint16_t)(CODEC.length | check << 8);
    R.head += CODEC.pending;
    if (R.head >= MOTET_RING)
        R.head -= MOTET_RING;
    R.fill += CODEC.pending;
    CODEC.pending = UNIT;
    CODEC.length = CODEC.unsure = 0;
}

/* An event that is no read: a unit, or the first of more. */
static void put_first(uint16_t first, uint16_t second)
{
    append(first, second);
    predict_history(&CODEC.predictor, first);
}

static void put(uint16_t first, uint16_t second)
{
    put_first(first, second);
    end_stretch(ENDS_OTHER, CODEC.predictor.check);
}

/* Cuts the stretch under way, so that it can be encoded. Returns whether there was one. */
static uint8_t codec_settle(void)
{
    if (!CODEC.length)
        return 0;
    append(EVENT_CUT << 8, 0);
    end_stretch(ENDS_OTHER, CODEC.predictor.check);
    return 1;
}

/* A read that was not certain, or wrong. */
static void note_unsure(uint8_t how, uint16_t site, uint16_t known, uint16_t symbol, uint16_t live)
{
    uint16_t guess = predict_symbol(known), value = symbol;
    if (how & (READ_TIMER | READ_WIDE)) {
        value -= guess;
        if (!(how & READ_WIDE))
            value = (uint16_t)(int8_t)value;
    }
    if (guess & ~live)
        how &= (uint8_t)~READ_BIT;
    if (guess == symbol)
        how |= READ_RIGHT;
    if (known & RIGHT_ONCE)
        how |= READ_LIKELY;
    if (known & SURE)
        how |= READ_SURE;
    append((uint16_t)((site & 15) << 8 | how), value);
    if (known & SURE) {
        end_stretch(ENDS_WRONG, CODEC.predictor.check);
    } else {
        CODEC.length++;
        CODEC.unsure++;
    }
}

static void note_symbol(uint8_t how, uint16_t site, uint16_t symbol, uint16_t live)
{
    uint8_t place = predict_place(&CODEC.predictor, site);
    uint16_t known = CODEC.predictor.table[place];
    if ((known & SURE) && predict_symbol(known) == symbol) {
        CODEC.length++;
    } else {
        if (!room_for(UNIT))
            return;
        note_unsure(how, site, known, symbol, live);
    }
    predict_learn(&CODEC.predictor, site, place, symbol);
    if ((CODEC.length == 255 || CODEC.unsure >= STRETCH_UNSURE) && room_for(UNIT))
        codec_settle();
}

static void note_read(uint16_t value, uint16_t live, uint16_t site, uint8_t wide)
{
    uint8_t how = wide ? READ_WIDE : 0;
    if (R.state != RECORDING)
        return;
    R.events++;
    value &= live;
    if (site_class(site) == CLASS_TIMER) {
        uint16_t was = CODEC.predictor.timer[wide];
        CODEC.predictor.timer[wide] = value;
        value -= was;
        note_symbol(how | READ_TIMER, site, wide ? value : (uint16_t)(int8_t)value, live);
        return;
    }
    if (site_class(site) == CLASS_DATA)
        how |= READ_DATA;
    else if (!(live & (live - 1)))
        how |= READ_BIT;
    note_symbol(how, site, value, live);
}
