/* Encoding with the bits codec: events out of the ring. */
#include "codec_bits.h"

#include "codec.h"
#include "event.h"
#include "out.h"
#include "ring.h"
#ifndef MOTET_HOST
#include "port.h"
#endif

_Static_assert(MOTET_PLACES == BITS_PLACES, "replay has as many");
#define B R.coder
#define M B.model

#ifndef BITS_ASSEMBLY /* bits_avr.S */

/* ---- bits and numbers ---- */

/* The topmost bits of a value. */
static SMALL void bits_put(uint8_t count, uint16_t value)
{
    for (; count; count--) {
        B.byte |= (uint8_t)(value >> 15 << (7 - B.used));
        value = (uint16_t)(value << 1);
        if (++B.used < 8)
            continue;
        out_put(B.byte);
        B.byte = B.used = 0;
    }
}

static SMALL void bits_one(void)
{
    bits_put(1, 0x8000);
}

static SMALL void bits_zero(void)
{
    bits_put(1, 0);
}

static SMALL void bits_number(uint8_t kind, uint16_t value)
{
    uint8_t *usual = &M.usual[kind], count = 16, zeros;
    if (!(value & 0xff00)) {
        value = (uint16_t)(value << 8);
        count = 8;
    }
    for (; count && !(value & 0x8000); count--)
        value = (uint16_t)(value << 1);
    zeros = *usual - count;
    if (count > *usual) {
        zeros = -zeros;
        *usual += *usual < BITS_MOST_USUAL;
    } else {
        if (zeros)
            --*usual;
        bits_one();
    }
    bits_put(zeros, 0);
    bits_put(count, value);
}

/* ---- steps ---- */

static SMALL void bits_note(uint16_t word)
{
    M.predictor.check = event_note(M.predictor.check, word);
}

static SMALL void bits_other(uint8_t other)
{
    bits_put(5, (uint16_t)(other << 11));
    if (other != BITS_OTHER_NOTHING && other != BITS_OTHER_ANEW)
        bits_number(FIELD_LENGTH, M.hits);
    M.hits = 0;
}

/* What a read was, if not as guessed. */
static SMALL void bits_differs(uint8_t high, uint16_t guess, uint16_t symbol)
{
    uint8_t *literal = &M.literals[M.predictor.position % BITS_POSITIONS], before = *literal, low = (uint8_t)symbol;
    if (site_is_timer(high) || (high & SITE_WIDE)) {
        guess = symbol - guess;
        if (!(high & SITE_WIDE))
            guess = (uint16_t)(int8_t)guess;
        bits_number(bits_number_of(high), (uint16_t)(folded(guess) - 1));
        return;
    }
    *literal = low;
    if (before != (uint8_t)guess) {
        if (before == low) {
            bits_one();
            return;
        }
        bits_zero();
    }
    bits_put(8, (uint16_t)(low << 8));
}

static SMALL void bits_read(void)
{
    struct predictor *p = &M.predictor;
    uint8_t high = (uint8_t)(B.site >> 8), low = (uint8_t)B.site;
    uint16_t *place = &p->table[predict_place(p, high, low)], known = *place, symbol;
    predict_position(p, high);
    symbol = predict_timer(p, high, B.value);
    if (!site_is_timer(high))
        low = (uint8_t)symbol;
    predict_history(p, low);
    bits_note(symbol);
    if (predict_certain(known, symbol)) {
        if (++M.hits == BITS_MOST_HITS)
            bits_other(BITS_OTHER_NOTHING);
        return;
    }
    if (known & SURE) {
        bits_put(3, 1u << 13);
        bits_number(FIELD_LENGTH, M.hits);
    } else {
        bits_one();
    }
    bits_arrive(&M);
    *place = bits_learn(known, symbol);
    if (!(known & SURE)) {
        if (symbol == predict_symbol(known)) {
            bits_one();
            return;
        }
        bits_zero();
    }
    bits_differs(high, predict_symbol(known), symbol);
}

/* The next unit of an event. */
static SMALL const uint16_t *bits_after(void)
{
    ring_take();
    return ring_oldest();
}

/* The fields of an interrupt, in the place of what was expected. */
static SMALL void bits_put_fields(uint16_t *was, const uint16_t *is, uint8_t at)
{
    uint8_t from =
        was[FIELD_WHERE] == is[FIELD_WHERE] && was[FIELD_SP] == is[FIELD_SP] && was[FIELD_LENGTH] == is[FIELD_LENGTH]
            ? FIELD_COUNT
            : 0;
    if (from && was[FIELD_COUNT] == is[FIELD_COUNT] && was[FIELD_ADDRESS] == is[FIELD_ADDRESS]) {
        bits_one();
        return;
    }
    bits_put(2, from ? 0x4000 : 0);
    for (uint8_t i = from; i < FIELDS; i++) {
        uint16_t field = is[i], before = was[i];
        was[i] = field;
        if (bits_has_field(i, at))
            bits_number(i, bits_field_differs(i) ? folded((uint16_t)(field - before)) : field);
    }
}

static void bits_interrupt(const uint16_t *unit)
{
    uint16_t is[FIELDS], *expected = M.expected[M.context];
    uint8_t vector = (uint8_t)unit[0], at = (uint8_t)(unit[0] >> 8) & BITS_AT;
    is[FIELD_WHERE] = (uint16_t)(vector << 2) | at;
    is[FIELD_ADDRESS] = unit[1];
    unit = bits_after();
    is[FIELD_COUNT] = unit[0];
    is[FIELD_SP] = unit[1];
    is[FIELD_LENGTH] = M.hits;
    if (at == BITS_AT_INSIDE) {
        is[FIELD_ADDRESS] = expected[FIELD_ADDRESS];
        is[FIELD_SP] = expected[FIELD_SP];
    }
    bits_note_fields(&M, is);
    bits_put(2, 0x4000);
    bits_put_fields(expected, is, at);
    if (at == BITS_AT_LIBRARY) {
        unit = bits_after();
        bits_put(16, unit[0]);
        bits_put(16, unit[1]);
    }
    predict_history(&M.predictor, vector);
    bits_arrive(&M);
}

static SMALL void bits_notice(uint8_t notice, uint16_t value)
{
    bits_other(BITS_OTHER_NOTICE);
    predict_history(&M.predictor, EVENT_NOTICE);
    bits_put(4, (uint16_t)(notice << 12));
    bits_put(16, value);
}

/* ---- units ---- */

/* One of the reads that a unit stands for. */
static void bits_several(const uint16_t *unit)
{
    if (B.at == BITS_COUNTED)
        B.value++;
    else
        B.value = ((const uint8_t *)unit)[B.at++];
    if (!--B.left || B.at == UNIT) {
        B.at = 0;
        ring_take();
    }
    bits_read();
}

/* A unit that is no read. Those that stand for several stay until these are encoded. */
static void bits_event(const uint16_t *unit)
{
    uint8_t kind = (uint8_t)(unit[0] >> 8), low = (uint8_t)unit[0];
    if (kind == EVENT_AGAIN) {
        B.at = BITS_COUNTED;
        if (low & AGAIN) {
            ring_close(); /* no more of them here */
            B.at = 2;
        }
        B.left = low & (AGAIN - 1);
        return;
    }
    if (kind == EVENT_WOKE) {
        B.site = BITS_WAKE;
        B.value = low;
        bits_read();
    } else if (kind >= EVENT_INSIDE) {
        bits_interrupt(unit);
    } else if (kind == EVENT_BLOCK) {
        B.site = unit[1];
        B.left = bits_after()[0];
    } else if (kind == EVENT_NOTICE) {
        bits_notice(low, unit[1]);
    } else if (low) {
        predict_compare(&M.predictor, low - 1, unit[1]);
    } else {
        bits_other(BITS_OTHER_WRAPPED);
        predict_history(&M.predictor, EVENT_WRAPPED);
    }
    ring_take();
}

PRIVATE void codec_units(void)
{
    const uint16_t *unit = ring_oldest();
    if (B.left) {
        bits_several(unit);
    } else if (unit[0] >> 8 < EVENT_AGAIN) {
        B.site = unit[0];
        B.value = unit[1];
        ring_take();
        bits_read();
    } else {
        bits_event(unit);
    }
}

PRIVATE uint8_t codec_confirm(void)
{
    bits_notice(NOTICE_CHECK, M.predictor.check);
    return 1;
}

PRIVATE void codec_flush(void)
{
    codec_confirm();
    bits_other(BITS_OTHER_ANEW);
    while (B.used)
        bits_zero();
}

#endif

/* ---- the beginning ---- */

#define COUNT(vector, wide, at, control) +1
#define TELL(vector, wide, at, control) \
    (vector) | ((at) < 0x100 ? 0 : COMPARE_HIGH) | ((wide) ? COMPARE_WIDE : 0), (uint8_t)(at),
static const uint8_t bits_begins[] PORT_CONSTANT = {0 CHIP_COMPARES(COUNT), CHIP_COMPARES(TELL)};
#undef TELL
#define TELL(vector, wide, at, control)                                                \
    _Static_assert((vector) <= COMPARE_VECTOR && (at) < 0x200, "as the log tells it"); \
    _Static_assert((control) == ((at) < 0x100 ? 0 : (at)-COMPARE_CONTROL), "as replay has it");
CHIP_COMPARES(TELL)
#undef TELL
#undef COUNT

PRIVATE void codec_begin(void)
{
#ifdef MOTET_HOST /* a part begins with a life here, and with memory that is zero */
    memset(&B, 0, sizeof B);
#endif
#ifdef __MSP430__
    B.byte = 1;
#endif
    out_put_constant(bits_begins, sizeof bits_begins);
}
