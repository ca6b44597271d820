/* Encoding with the motet codec: events out of the ring. */
#include "codec_coder.h"
#include "codec_motet.h"

/* The first members are known to assembly. */
CODER_LINKAGE struct codec {
    uint16_t left;        /* reads that are still to come of a unit that stands for several, or of those behind it */
    uint16_t site, value; /* of the last read, as in the ring */
    uint8_t hits;         /* reads since the last step, all of them as was certain */
    uint8_t at;           /* the next of them is this byte of the unit; COUNTED: one more than the last */
    struct predictor predictor;
    struct model model;
} motet_codec __attribute__((section(".noinit")));
#define CODEC motet_codec

/* Bytes that a unit of the ring can become, if every decision of an interrupt in library code is the least likely one.
 */
enum { CODEC_MOST = 36, CODEC_CARRIES = 1 };
enum { MOST_HITS = 255, COUNTED = 2 * UNIT };

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
    tell((0 PORT_COMPARES(COUNT)) | (STAMPED(&CODEC.model) ? COMPARES_STAMPED : 0));
#undef COUNT
#define TELL(vector, wide, at, control)                                                         \
    _Static_assert((vector) <= COMPARE_VECTOR && (at) < 0x200, "as the log tells it");          \
    _Static_assert((control) == ((at) < 0x100 ? 0 : (at)-COMPARE_CONTROL), "as replay has it"); \
    tell((vector) | ((at) < 0x100 ? 0 : COMPARE_HIGH) | ((wide) ? COMPARE_WIDE : 0));           \
    tell((uint8_t)(at));
    PORT_COMPARES(TELL)
#undef TELL
}

static __attribute__((noinline, used)) void encode_step(uint8_t step, uint8_t vector)
{
    model_step(&K, &CODEC.model, step, CODEC.hits, vector);
    CODEC.model.before = step;
    CODEC.hits = 0;
}

static __attribute__((noinline, used)) void encode_check(void)
{
    model_check(&K, &CODEC.model, CODEC.predictor.check);
}

static __attribute__((noinline, used)) void encode_nothing(void)
{
    encode_step(STEP_OTHER, NO_VECTOR);
    model_other(&K, &CODEC.model, OTHER_NOTHING);
    encode_check();
}

/* A read that was not certain, or is not as was certain, behind the step to it. */
static __attribute__((noinline, used)) void encode_unsure(uint16_t site, uint8_t place, uint16_t symbol)
{
    model_arrive(&CODEC.model, &CODEC.predictor);
    model_read(&K, &CODEC.model, &CODEC.predictor, site, place, symbol);
}

#ifdef __AVR__
__attribute__((noinline))
#endif
static const uint16_t *
unit_behind(const uint16_t *unit)
{
    return ring_next(unit);
}

/* Returns its last unit. */
static const uint16_t *encode_interrupt(uint8_t kind, const uint16_t *unit)
{
    struct interrupt i = {.at = AT_INSIDE, .vector = (uint8_t)unit[0], .address = unit[1], .count = unit[1]};
    if (kind != EVENT_INSIDE) {
        i.at = AT_CODE;
        unit = unit_behind(unit);
        i.count = unit[0];
        i.sp = unit[1];
        if (kind == EVENT_LIBRARY) {
            i.at = AT_LIBRARY;
            i.hash[0] = i.sp;
            unit = unit_behind(unit);
            i.hash[1] = unit[0];
            i.sp = unit[1];
        }
    }
    encode_step(STEP_INTERRUPT, i.vector);
    model_interrupt(&K, &CODEC.model, &CODEC.predictor, &i);
    encode_check();
    return unit;
}

static void encode_other(uint8_t kind, const uint16_t *unit)
{
    encode_step(STEP_OTHER, NO_VECTOR);
    predict_history(&CODEC.predictor, kind);
    model_other(&K, &CODEC.model, kind == EVENT_MARK ? OTHER_MARK : OTHER_WRAPPED);
    if (kind == EVENT_MARK) {
        code_raw(&K, 4, (uint16_t)(unit[0] << 12), 0);
        code_raw(&K, 16, unit[1], 0);
    }
    encode_check();
}

/* What is no read. Returns the unit behind those it is made of. */
static __attribute__((noinline, used)) const uint16_t *encode_event(const uint16_t *unit)
{
    uint8_t kind = (uint8_t)(unit[0] >> 8), low = (uint8_t)unit[0];
    if (kind >= EVENT_INSIDE) {
        unit = encode_interrupt(kind, unit);
    } else if (kind == EVENT_AGAIN) {
        CODEC.at = COUNTED;
        if (low & AGAIN) {
            ring_close(); /* no more of them here */
            low = (uint8_t) * (volatile const uint16_t *)unit;
            CODEC.at = 2;
        }
        CODEC.left = low & (AGAIN - 1);
        return unit; /* it stays until they are encoded */
    } else if (kind == EVENT_BLOCK) {
        CODEC.site = unit[1];
        unit = unit_behind(unit);
        CODEC.left = unit[0];
    } else {
        encode_other(kind, unit);
    }
    return unit_behind(unit);
}

#ifdef CODER_ASSEMBLY
static __attribute__((noinline, used)) uint8_t encoding_waits(void)
{
    return codec_waits();
}
#endif

#if defined __MSP430__ && defined CODER_ASSEMBLY
#include "codec_reads_msp430.h"
#elif defined __AVR__
#include "codec_reads_avr.h"
#else
/* Up to so many of the oldest reads, and whatever comes behind them: most are as was certain, for which little is done,
 * with what changes in registers. Returns the unit it ends before, which is no read, or NULL. */
static inline const uint16_t *encode_reads(uint8_t most)
{
    struct predictor *p = &CODEC.predictor;
    const uint16_t *unit = oldest();
    uint8_t recent = p->recent, longer = p->longer, check = p->check, hits = CODEC.hits, event = 0;
    uint16_t site = CODEC.site, value = CODEC.value;
    do {
        uint16_t symbol, known;
        uint8_t high, low, place;
        if (CODEC.left) {
            value = CODEC.at == COUNTED ? value + 1 : ((const uint8_t *)unit)[CODEC.at++];
            if (!--CODEC.left || CODEC.at == UNIT) {
                CODEC.at = 0;
                unit = ring_next(unit);
            }
        } else {
            uint16_t first = unit[0], second = unit[1];
            if ((uint8_t)(first >> 8) >= EVENT_AGAIN) {
                if ((uint8_t)(first >> 8) == EVENT_WOKE) {
                    second = (uint8_t)first;
                    first = SITE_WAKE;
                } else if ((uint8_t)(first >> 8) == EVENT_WRAPPED && (uint8_t)first) {
                    predict_compare(p, (uint8_t)first - 1, second);
                    unit = ring_next(unit);
                    continue;
                } else {
                    event = 1;
                    break;
                }
            }
            site = first;
            value = second;
            unit = ring_next(unit);
        }
        high = (uint8_t)(site >> 8);
        low = (uint8_t)site;
        symbol = value;
        predict_position(p, high);
        place = low;
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
        if (predict_certain(known, symbol)) {
            if (++hits != MOST_HITS)
                continue;
            p->check = check;
            CODEC.hits = hits;
            encode_nothing();
        } else {
            p->check = check;
            p->longer = longer;
            CODEC.hits = hits;
            encode_step(known & SURE ? STEP_WRONG : step_to(high), NO_VECTOR);
            encode_unsure(site, place, symbol);
            if (known & SURE)
                encode_check();
        }
        hits = 0;
        if (codec_waits())
            break;
    } while (--most);
    p->recent = recent;
    p->longer = longer;
    p->check = check;
    CODEC.hits = hits;
    CODEC.site = site;
    CODEC.value = value;
    if (event)
        return unit;
    ring_take_to(unit);
    return NULL;
}

/* At least one of the units there are, and more until the codec has to wait. */
static __attribute__((noinline)) void codec_units(void)
{
    enum { MOST = 16 };
    uint8_t units = ring_units();
    do {
        const uint16_t *event = encode_reads(units < MOST ? units : MOST); /* none takes more than one */
        if (event)
            ring_take_to(encode_event(event));
        units = ring_units();
    } while (units && !codec_waits());
}
#endif

/* All that was encoded so far can be decoded from what comes out. */
static void codec_flush(void)
{
    encode_step(STEP_OTHER, NO_VECTOR);
    model_other(&K, &CODEC.model, OTHER_ANEW);
    coder_settle();
    coder_settle();
    K = (struct coder){.range = 0xffff};
}
