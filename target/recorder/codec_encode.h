/* Encoding with the motet codec: events out of the ring, and a range coder of 16 bits with carries (G. N. N. Martin,
 * 1979) whose decisions cost a multiplication of 16 by 8 bits. */
#include "codec_motet.h"

struct coder {
    uint16_t low, range;
    uint8_t byte, waits; /* the last one, which a carry may still change, if there is one */
    uint8_t full;        /* so many 0xff behind it */
};
enum { MOST_FULL = 8 };

static struct codec {
    struct predictor predictor;
    struct coder coder;
    struct model model;
    uint8_t hits;         /* reads since the last step, all of them as was certain */
    uint16_t left;        /* reads that are still to come of a unit that stands for several, or of those behind it */
    uint8_t at;           /* the next of them is this byte of the unit; COUNTED: one more than the last */
    uint16_t site, value; /* of the last read, as in the ring */
} motet_codec __attribute__((section(".noinit")));
#define CODEC motet_codec

/* A byte is settled when no carry can reach it any more: one waits, and those behind it that are 0xff. */
static void settle(struct coder *c, uint8_t byte)
{
    if (byte == 0xff && c->waits) {
        if (c->full == MOST_FULL) /* once in 2^64 bytes: then what follows is lost, and said to be */
            R.state = R.state == RECORDING ? LOSING : R.state;
        else
            c->full++;
        return;
    }
    if (c->waits)
        out(c->byte);
    for (; c->full; c->full--)
        out(0xff);
    c->byte = byte;
    c->waits = 1;
}

static void carry(struct coder *c)
{
    c->byte++;
    if (!c->full)
        return;
    out(c->byte);
    for (; c->full > 1; c->full--)
        out(0);
    c->byte = 0;
    c->full = 0;
}

#define K CODEC.coder

static __attribute__((noinline)) uint8_t settle_all(uint8_t bit, uint8_t carries)
{
    if (carries)
        carry(&K);
    if (K.range < 0x100) {
        settle(&K, (uint8_t)(K.low >> 8));
        K.low <<= 8;
        K.range <<= 8;
    }
    return bit;
}

/* The range times p / 256 is for a one. What is seldom is behind the end, so that nothing has to be kept over it. */
static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    uint8_t p = *probability, carries = 0;
    uint16_t range = K.range, bound = port_multiply(range, p);
    (void)c;
    if (bit) {
        range = bound;
        *probability = (uint8_t)(p + ((uint8_t)-p >> 4));
    } else {
        uint16_t low = K.low + bound;
        range -= bound;
        *probability = (uint8_t)(p - (p >> 4));
        K.low = low;
        carries = low < bound;
    }
    K.range = range;
    if (carries || (uint8_t)(range >> 8) == 0)
        return settle_all(bit, carries);
    return bit;
}

static __attribute__((noinline)) uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result)
{
    uint16_t range = K.range, low = K.low;
    (void)c, (void)result;
    for (; bits; bits--) {
        range >>= 1;
        if (value & 0x8000) {
            low += range;
            if (low < range)
                carry(&K);
        }
        value <<= 1;
        if ((uint8_t)(range >> 8) == 0) {
            settle(&K, (uint8_t)(low >> 8));
            low <<= 8;
            range <<= 8;
        }
    }
    K.range = range;
    K.low = low;
    return 0;
}

/* Bytes that a unit of the ring can become, if every decision of an interrupt in library code is the least likely one.
 */
enum { CODEC_MOST = 28 };
enum { MOST_HITS = 255, COUNTED = 2 * UNIT, MUCH = 8 };

/* Some bytes that stand before all else. */
static __attribute__((noinline)) void tell(uint8_t byte)
{
    out(byte);
}

static void codec_begin(void)
{
    K = (struct coder){.range = 0xffff};
    CODEC.hits = CODEC.left = CODEC.at = 0;
    model_begin(&CODEC.model, &CODEC.predictor);
#define COUNT(vector, wide, at, control) +1
    tell(0 PORT_COMPARES(COUNT));
#undef COUNT
#define TELL(vector, wide, at, control)                                                         \
    _Static_assert((vector) <= COMPARE_VECTOR && (at) < 0x200, "as the log tells it");          \
    _Static_assert((control) == ((at) < 0x100 ? 0 : (at)-COMPARE_CONTROL), "as replay has it"); \
    tell((vector) | ((at) < 0x100 ? 0 : COMPARE_HIGH) | ((wide) ? COMPARE_WIDE : 0));           \
    tell((uint8_t)(at));
    PORT_COMPARES(TELL)
#undef TELL
}

static void encode_step(uint8_t step, uint8_t vector)
{
    model_step(&K, &CODEC.model, step, CODEC.hits, vector);
    CODEC.model.before = step;
    CODEC.hits = 0;
}

static void encode_check(void)
{
    model_check(&K, &CODEC.model, CODEC.predictor.check);
}

static void encode_nothing(void)
{
    encode_step(STEP_OTHER, 0);
    model_other(&K, &CODEC.model, OTHER_NOTHING);
    encode_check();
}

/* A read that was not certain, or is not as was certain. */
static __attribute__((noinline)) void encode_unsure(uint16_t site, uint8_t place, uint16_t symbol)
{
    uint8_t sure = CODEC.predictor.table[place] >> 15;
    encode_step(sure ? STEP_WRONG : step_to((uint8_t)(site >> 8)), 0);
    model_read(&K, &CODEC.model, &CODEC.predictor, site, place, symbol);
    model_arrive(&CODEC.model, &CODEC.predictor);
    if (sure)
        encode_check();
}

/* The unit behind the oldest. */
static __attribute__((noinline)) const uint16_t *next_oldest(void)
{
    ring_take(1);
    return oldest();
}

static void encode_interrupt(uint8_t kind, const uint16_t *unit)
{
    struct interrupt i = {.vector = (uint8_t)unit[0], .address = unit[1]};
    if (kind == EVENT_INSIDE) {
        i.at = AT_INSIDE;
        i.count = unit[1];
    } else {
        unit = next_oldest();
        i.count = unit[0];
        i.sp = unit[1];
        if (kind == EVENT_LIBRARY) {
            i.at = AT_LIBRARY;
            i.hash[0] = i.sp;
            unit = next_oldest();
            i.hash[1] = unit[0];
            i.sp = unit[1];
        }
    }
    encode_step(STEP_INTERRUPT, i.vector);
    model_interrupt(&K, &CODEC.model, &CODEC.predictor, &i);
    encode_check();
}

static void encode_other(uint8_t kind, const uint16_t *unit)
{
    encode_step(STEP_OTHER, 0);
    predict_history(&CODEC.predictor, kind);
    model_other(&K, &CODEC.model, kind == EVENT_MARK ? OTHER_MARK : OTHER_WRAPPED);
    if (kind == EVENT_MARK) {
        code_raw(&K, 4, (uint16_t)(unit[0] << 12), 0);
        code_raw(&K, 16, unit[1], 0);
    }
    encode_check();
}

/* What is no read. The units it is made of are taken here. */
static __attribute__((noinline)) void encode_event(const uint16_t *unit)
{
    uint8_t kind = (uint8_t)(unit[0] >> 8), low = (uint8_t)unit[0];
    if (kind == EVENT_AGAIN) {
        CODEC.at = COUNTED;
        if (low & AGAIN) {
            ring_close(); /* no more of them here */
            low = (uint8_t) * (volatile const uint16_t *)unit;
            CODEC.at = 2;
        }
        CODEC.left = low & (AGAIN - 1);
        return; /* the unit stays until they are encoded */
    }
    if (kind == EVENT_MARK || kind == EVENT_WRAPPED) {
        encode_other(kind, unit);
    } else if (kind == EVENT_BLOCK) {
        CODEC.site = unit[1];
        CODEC.left = next_oldest()[0];
    } else {
        encode_interrupt(kind, unit);
    }
    ring_take(1);
}

/* Some of the oldest units: most of them are reads that are as was certain, for which little is done, with what changes
 * in registers. What is not takes as much effort as several. */
static __attribute__((noinline)) void codec_some(uint8_t effort)
{
    struct predictor *p = &CODEC.predictor;
    const uint16_t *unit = oldest();
    uint8_t recent = p->recent, longer = p->longer, check = p->check, hits = CODEC.hits;
    uint8_t taken = 0, units = ring_units(), event = 0;
    if (effort > units)
        effort = units; /* none takes more than one */
    do {
        uint16_t site = CODEC.site, value, symbol, known;
        uint8_t high, low, place;
        if (CODEC.left) {
            value = CODEC.at == COUNTED ? CODEC.value + 1 : ((const uint8_t *)unit)[CODEC.at++];
            if (!--CODEC.left || CODEC.at == UNIT) {
                CODEC.at = 0;
                unit = ring_next(unit);
                taken++;
            }
        } else {
            site = unit[0];
            value = unit[1];
            if ((uint8_t)(site >> 8) >= EVENT_AGAIN) {
                if ((uint8_t)(site >> 8) == EVENT_WOKE) {
                    value = (uint8_t)site;
                    site = SITE_WAKE;
                } else if ((uint8_t)(site >> 8) == EVENT_WRAPPED && (uint8_t)site) {
                    predict_compare(p, (uint8_t)site - 1, value);
                    unit = ring_next(unit);
                    taken++;
                    continue;
                } else {
                    event = 1;
                    break;
                }
            }
            CODEC.site = site;
            unit = ring_next(unit);
            taken++;
        }
        CODEC.value = value;
        high = (uint8_t)(site >> 8);
        low = (uint8_t)site;
        symbol = value;
        place = (uint8_t)(low << 3) ^ low;
        if (site_is_timer(high)) {
            place ^= longer;
            symbol = predict_timer(p, high, value);
        } else {
            place ^= recent;
            low = (uint8_t)symbol;
        }
        recent = (uint8_t)(recent << 4) ^ low;
        longer = (uint8_t)(longer << 3) ^ low;
        check = (uint8_t)((uint8_t)(check << 1) + check + low);
        known = p->table[place];
        if (predict_certain(known, high, symbol)) {
            if (++hits != MOST_HITS)
                continue;
            p->check = check;
            CODEC.hits = hits;
            encode_nothing();
        } else {
            p->check = check;
            p->longer = longer;
            CODEC.hits = hits;
            encode_unsure(site, place, symbol);
        }
        hits = 0;
        if (R.out_count + CODEC_MOST > OUT_ROOM)
            break;
        effort = effort > MUCH ? effort - MUCH : 1;
    } while (--effort);
    p->recent = recent;
    p->longer = longer;
    p->check = check;
    CODEC.hits = hits;
    ring_take(taken);
    if (event)
        encode_event(oldest());
}

static __attribute__((unused)) void codec_unit(void)
{
    codec_some(2 * MUCH);
}

/* As many units as there are, and as there is room for. */
static __attribute__((unused)) void codec_units(void)
{
    while (ring_units() && R.out_count + CODEC_MOST <= OUT_ROOM)
        codec_unit();
}

/* All that was encoded so far can be decoded from what comes out. */
static void codec_flush(void)
{
    encode_step(STEP_OTHER, 0);
    model_other(&K, &CODEC.model, OTHER_ANEW);
    settle(&K, (uint8_t)(K.low >> 8));
    settle(&K, (uint8_t)K.low);
    settle(&K, 0); /* comes out with the next */
    K = (struct coder){.range = 0xffff};
}
