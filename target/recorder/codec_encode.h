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
    uint8_t hits;   /* reads since the last step, all of them as was certain */
    uint16_t block; /* bytes of a block still to come */
    uint8_t reads;  /* of 8 bits, each for itself */
    uint8_t at;     /* of the unit: the next byte */
    uint16_t site;  /* of the last read or block */
    uint16_t value;
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

static void codec_begin(void)
{
    K = (struct coder){.range = 0xffff};
    CODEC.hits = CODEC.block = CODEC.at = 0;
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

/* A read, of which `known` was known, that was not certain or is not as was certain. */
static void encode_unsure(uint8_t how, uint16_t site, uint16_t known, uint16_t symbol)
{
    uint16_t guess = predict_symbol(known);
    uint8_t sure = (known & SURE) != 0;
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

static void encode_symbol(uint8_t how, uint16_t site, uint16_t symbol)
{
    uint8_t place = predict_place(&CODEC.predictor, site);
    uint16_t known = CODEC.predictor.table[place];
    if (!(known & SURE) || predict_symbol(known) != symbol)
        encode_unsure(how, site, known, symbol);
    else
        CODEC.hits++;
    predict_learn(&CODEC.predictor, site, place, symbol);
    if (CODEC.hits == 255)
        encode_nothing();
}

static void encode_read(uint16_t site, uint8_t wide, uint16_t value)
{
    uint8_t how = read_how(site, wide);
    if (how & READ_TIMER) {
        uint16_t was = CODEC.predictor.timer[wide];
        CODEC.predictor.timer[wide] = value;
        value -= was;
        if (!wide)
            value = (uint16_t)(int8_t)value;
    }
    encode_symbol(how, site, value);
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
        ring_take();
        unit = oldest();
        model_number(&K, CODEC.model.count, unit[0]);
        sp = unit[1];
        if (at == AT_LIBRARY) {
            model_raw(&K, 16, unit[1]);
            ring_take();
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

/* One byte of a block, or read of 8 bits that follows one at the same site. Returns whether the unit has more. */
static uint8_t encode_byte(const uint8_t *unit)
{
    uint8_t byte = unit[CODEC.at++];
    if (CODEC.reads)
        encode_read(CODEC.site, 0, byte);
    else
        encode_symbol(READ_DATA, CODEC.site, byte);
    if (--CODEC.block && CODEC.at < UNIT)
        return 1;
    CODEC.at = 0;
    return 0;
}

/* Some of the reads that a unit stands for. Returns whether there are more. */
static uint8_t encode_again(uint16_t *unit)
{
    for (uint8_t i = 0; i < 2 && (uint8_t)unit[0]; i++, unit[0]--)
        encode_read(CODEC.site & (uint16_t)~WIDE, CODEC.site >> 15, ++CODEC.value);
    return (uint8_t)unit[0] != 0;
}

/* The oldest unit, and what belongs to it. */
static void codec_unit(void)
{
    uint16_t *unit = oldest();
    uint8_t kind = (uint8_t)(unit[0] >> 8);
    if (!CODEC.block && kind == EVENT_AGAIN && (uint8_t)unit[0] > AGAIN) {
        end_again();
        CODEC.block = unit[0] & (AGAIN - 1);
        CODEC.reads = 1;
        CODEC.at = 2;
    }
    if (CODEC.block) {
        if (encode_byte((const uint8_t *)unit))
            return;
    } else if (kind < EVENT_AGAIN) {
        CODEC.site = unit[0];
        CODEC.value = unit[1];
        encode_read(unit[0] & (uint16_t)~WIDE, unit[0] >> 15, unit[1]);
    } else if (kind == EVENT_AGAIN) {
        if (encode_again(unit))
            return;
    } else if (kind == EVENT_MARK || kind == EVENT_WRAPPED) {
        encode_other(kind, unit);
    } else if (kind == EVENT_WOKE) {
        encode_symbol(READ_WAKE, SITE_WAKE, (uint8_t)unit[0]);
    } else if (kind == EVENT_BLOCK) {
        CODEC.site = unit[1];
        ring_take();
        CODEC.block = oldest()[0];
        CODEC.reads = 0;
    } else {
        encode_interrupt(kind, unit);
    }
    ring_take();
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
