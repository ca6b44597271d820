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
    uint16_t symbol;      /* that it was, in this place of the table, if that was not certain */
    uint8_t place;
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

static void normalize(void)
{
    while (K.range < 0x100) {
        settle(&K, (uint8_t)(K.low >> 8));
        K.low <<= 8;
        K.range <<= 8;
    }
}

static __attribute__((noinline)) uint8_t settle_all(uint8_t bit, uint8_t carries)
{
    if (carries)
        carry(&K);
    normalize();
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

static uint8_t code_raw(struct coder *c, uint8_t bits, uint8_t value)
{
    uint16_t range = K.range >> bits, low = range * value;
    (void)c;
    K.range = range;
    K.low += low;
    if (K.low < low)
        carry(&K);
    normalize();
    return value;
}

enum { CODEC_MOST = 16 }; /* bytes that a unit of the ring can become */
enum { MOST_HITS = 255, COUNTED = 2 * UNIT, PASSED = 0, AT_UNSURE, AT_EVENT };

static void codec_begin(void)
{
    K = (struct coder){.range = 0xffff};
    CODEC.hits = CODEC.left = CODEC.at = 0;
    model_begin(&CODEC.model, &CODEC.predictor);
}

static void encode_step(uint8_t step)
{
    model_step(&K, &CODEC.model, step);
    if (step > STEP_UNSURE)
        model_length(&K, &CODEC.model, CODEC.hits);
    CODEC.model.before = step;
    CODEC.hits = 0;
}

static void encode_check(void)
{
    model_check(&K, &CODEC.model, CODEC.predictor.check);
}

static void encode_nothing(void)
{
    encode_step(STEP_OTHER);
    model_tree(&K, CODEC.model.other, 2, OTHER_NOTHING);
    encode_check();
}

/* The last read was not certain, or is not as was certain. */
static void encode_unsure(void)
{
    uint16_t known = CODEC.predictor.table[CODEC.place], site = CODEC.site, symbol = CODEC.symbol;
    uint16_t guess = predict_symbol(known, (uint8_t)(site >> 8));
    uint8_t how = read_how(site), sure = (known & SURE) != 0;
    predict_learn(&CODEC.predictor, CODEC.place, (uint8_t)(site >> 8), symbol);
    if (sure) {
        encode_step(STEP_WRONG);
    } else {
        encode_step(how & READ_TIMER ? STEP_TIMER : how & READ_DATA ? STEP_DATA : STEP_STATE);
        if (code(&K, &CODEC.model.right[read_context(how, site, known)], guess == symbol))
            return;
    }
    if (read_differs(how)) {
        symbol -= guess;
        if (!(how & READ_WIDE))
            symbol = (uint16_t)(int8_t)symbol;
    }
    model_wrong(&K, &CODEC.model, how, sure, symbol);
    if (sure)
        encode_check();
}

static void encode_interrupt(uint8_t kind, const uint16_t *unit)
{
    uint8_t at = kind == EVENT_INSIDE ? AT_INSIDE : kind == EVENT_LIBRARY ? AT_LIBRARY : AT_CODE;
    uint16_t address = unit[1], sp;
    encode_step(STEP_INTERRUPT);
    predict_history(&CODEC.predictor, (uint8_t)unit[0]);
    model_tree(&K, CODEC.model.where, 2, at);
    model_vector(&K, &CODEC.model, CODEC.model.vector[1], (uint8_t)unit[0]);
    if (at == AT_INSIDE) {
        model_number(&K, CODEC.model.count, address);
    } else {
        ring_take(1);
        unit = oldest();
        model_number(&K, CODEC.model.count, unit[0]);
        sp = unit[1];
        if (at == AT_LIBRARY) {
            model_raw(&K, 16, unit[1]);
            ring_take(1);
            unit = oldest();
            model_raw(&K, 16, unit[0]);
            sp = unit[1];
        }
        model_place(&K, &CODEC.model, &address, &sp);
    }
    encode_check();
}

static void encode_other(uint8_t kind, const uint16_t *unit)
{
    encode_step(STEP_OTHER);
    predict_history(&CODEC.predictor, kind);
    model_tree(&K, CODEC.model.other, 2, kind == EVENT_MARK ? OTHER_MARK : OTHER_WRAPPED);
    if (kind == EVENT_MARK) {
        model_raw(&K, 4, unit[0] & 15);
        model_raw(&K, 16, unit[1]);
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
            low = (uint8_t)*(volatile const uint16_t *)unit;
            CODEC.at = 2;
        }
        CODEC.left = low & (AGAIN - 1);
        return; /* the unit stays until they are encoded */
    }
    if (kind == EVENT_MARK || kind == EVENT_WRAPPED) {
        encode_other(kind, unit);
    } else if (kind == EVENT_BLOCK) {
        CODEC.site = unit[1];
        ring_take(1);
        CODEC.left = oldest()[0];
    } else {
        encode_interrupt(kind, unit);
    }
    ring_take(1);
}

/* Most reads are as was certain: these go by here, up to one that is not, which is left in CODEC, or to what is no
 * read. All that changes on the way is in registers, and nothing is called. Returns what is to be done about the last.
 */
static __attribute__((noinline)) uint8_t pass_certain(uint8_t most)
{
    struct predictor *p = &CODEC.predictor;
    const uint16_t *unit = oldest();
    uint16_t site = CODEC.site, value = CODEC.value, symbol, known;
    uint8_t recent = p->recent, longer = p->longer, check = p->check, hits = CODEC.hits;
    uint8_t units = ring_units(), taken = 0, end = PASSED, high, low, place;
    do {
        if (CODEC.left) {
            value = CODEC.at == COUNTED ? value + 1 : ((const uint8_t *)unit)[CODEC.at++];
            if (!--CODEC.left || CODEC.at == UNIT) {
                CODEC.at = 0;
                unit = ring_next(unit);
                taken++;
            }
            high = (uint8_t)(site >> 8);
        } else {
            high = (uint8_t)(unit[0] >> 8);
            if (high >= EVENT_AGAIN && high != EVENT_WOKE) {
                end = AT_EVENT;
                break;
            }
            site = unit[0];
            value = unit[1];
            if (high == EVENT_WOKE) {
                value = (uint8_t)site;
                site = SITE_WAKE;
                high = SITE_WOKE;
            }
            unit = ring_next(unit);
            taken++;
        }
        low = (uint8_t)site;
        symbol = value;
        place = (uint8_t)(low << 2) + low;
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
        if (!predict_certain(known, high, symbol)) {
            CODEC.symbol = symbol;
            CODEC.place = place;
            end = AT_UNSURE;
            break;
        }
        hits++;
    } while (--most && taken != units && hits != MOST_HITS);
    p->recent = recent;
    p->longer = longer;
    p->check = check;
    CODEC.hits = hits;
    CODEC.site = site;
    CODEC.value = value;
    ring_take(taken);
    return end;
}

/* The oldest unit, or some: as many as are certain, if that is no more than this. */
static void codec_some(uint8_t most)
{
    uint8_t end = pass_certain(most);
    if (end == AT_UNSURE)
        encode_unsure();
    else if (end == AT_EVENT)
        encode_event(oldest());
    if (CODEC.hits == MOST_HITS)
        encode_nothing();
}

static __attribute__((unused)) void codec_unit(void)
{
    codec_some(8);
}

/* As many units as there are, and as there is room for. */
static __attribute__((unused)) void codec_units(void)
{
    while (ring_units() && R.out_count + CODEC_MOST <= OUT_ROOM)
        codec_some(32);
}

/* All that was encoded so far can be decoded from what comes out. */
static void codec_flush(void)
{
    encode_step(STEP_OTHER);
    model_tree(&K, CODEC.model.other, 2, OTHER_ANEW);
    settle(&K, (uint8_t)(K.low >> 8));
    settle(&K, (uint8_t)K.low);
    settle(&K, 0); /* comes out with the next */
    K = (struct coder){.range = 0xffff};
}
