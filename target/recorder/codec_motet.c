/* Encoding with the motet codec: events out of the ring. */
#include "codec_motet.h"

#include "codec.h"
#include "coder.h"
#include "event.h"
#include "out.h"
#include "ring.h"

/* Assembly calls these, and knows the codec's memory by its name. */
#ifdef CODER_ASSEMBLY
#define SHARED __attribute__((noinline))
#else
#define SHARED static __attribute__((noinline))
#endif

SHARED void motet_encode_step(uint8_t step, uint8_t vector);
SHARED void motet_encode_check(void);
SHARED void motet_encode_nothing(void);
SHARED void motet_encode_unsure(uint16_t site, uint8_t place, uint16_t symbol);
SHARED const uint16_t *motet_encode_event(const uint16_t *unit);

struct codec motet_codec __attribute__((section(".noinit")));
#define CODEC motet_codec

/* Some bytes that stand before all else. */
static __attribute__((noinline)) void codec_tell(uint8_t byte)
{
    out_put(byte);
}

PRIVATE void codec_begin(void)
{
    K = (struct coder){.range = 0xffff};
    CODEC.hits = CODEC.left = CODEC.at = 0;
    model_begin(&CODEC.model, &CODEC.predictor);
#define COUNT(vector, wide, at, control) +1
    codec_tell((0 CHIP_COMPARES(COUNT)) | (STAMPED(&CODEC.model) ? COMPARES_STAMPED : 0) |
               (PREDICT_PLACES == 128 ? COMPARES_FEW : 0));
#undef COUNT
#define TELL(vector, wide, at, control)                                                         \
    _Static_assert((vector) <= COMPARE_VECTOR && (at) < 0x200, "as the log tells it");          \
    _Static_assert((control) == ((at) < 0x100 ? 0 : (at)-COMPARE_CONTROL), "as replay has it"); \
    codec_tell((vector) | ((at) < 0x100 ? 0 : COMPARE_HIGH) | ((wide) ? COMPARE_WIDE : 0));     \
    codec_tell((uint8_t)(at));
    CHIP_COMPARES(TELL)
#undef TELL
}

SHARED void motet_encode_step(uint8_t step, uint8_t vector)
{
    model_step(&K, &CODEC.model, step, CODEC.hits, vector);
    CODEC.model.before = step;
    CODEC.hits = 0;
}

SHARED void motet_encode_check(void)
{
    model_check(&K, &CODEC.model, (uint8_t)CODEC.predictor.check);
}

SHARED void motet_encode_nothing(void)
{
    motet_encode_step(STEP_OTHER, NO_VECTOR);
    model_other(&K, &CODEC.model, OTHER_NOTHING);
    motet_encode_check();
}

/* A read that was not certain, or is not as was certain, after the step to it. */
SHARED void motet_encode_unsure(uint16_t site, uint8_t place, uint16_t symbol)
{
    model_arrive(&CODEC.model, &CODEC.predictor);
    model_read(&K, &CODEC.model, &CODEC.predictor, site, place, symbol);
}

#ifdef __AVR__
__attribute__((noinline))
#endif
static const uint16_t *
codec_after(const uint16_t *unit)
{
    return ring_next(unit);
}

/* Returns its last unit. */
static const uint16_t *codec_interrupt(uint8_t kind, const uint16_t *unit)
{
    struct interrupt i = {.at = AT_INSIDE, .vector = (uint8_t)unit[0], .address = unit[1], .count = unit[1]};
    if (kind != EVENT_INSIDE) {
        i.at = AT_CODE;
        unit = codec_after(unit);
        i.count = unit[0];
        i.sp = unit[1];
        if (kind == EVENT_LIBRARY) {
            i.at = AT_LIBRARY;
            i.hash[0] = i.sp;
            unit = codec_after(unit);
            i.hash[1] = unit[0];
            i.sp = unit[1];
        }
    }
    motet_encode_step(STEP_INTERRUPT, i.vector);
    model_interrupt(&K, &CODEC.model, &CODEC.predictor, &i);
    predict_note(&CODEC.predictor, &i);
    motet_encode_check();
    return unit;
}

static void codec_other(uint8_t kind, const uint16_t *unit)
{
    motet_encode_step(STEP_OTHER, NO_VECTOR);
    predict_history(&CODEC.predictor, kind);
    model_other(&K, &CODEC.model, kind == EVENT_NOTICE ? OTHER_NOTICE : OTHER_WRAPPED);
    if (kind == EVENT_NOTICE) {
        code_raw(&K, 4, (uint16_t)(unit[0] << 12), 0);
        code_raw(&K, 16, unit[1], 0);
    }
    motet_encode_check();
}

/* What is no read. Returns the unit after those it is made of. */
SHARED const uint16_t *motet_encode_event(const uint16_t *unit)
{
    uint8_t kind = (uint8_t)(unit[0] >> 8), low = (uint8_t)unit[0];
    if (kind >= EVENT_INSIDE) {
        unit = codec_interrupt(kind, unit);
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
        unit = codec_after(unit);
        CODEC.left = unit[0];
    } else {
        codec_other(kind, unit);
    }
    return codec_after(unit);
}

#ifdef CODER_ASSEMBLY
SHARED uint8_t motet_encoding_waits(void);
SHARED uint8_t motet_encoding_waits(void)
{
    return codec_waits();
}
#endif

#ifndef CODER_ASSEMBLY /* else reads_avr.S or reads_msp430.S */
/* Up to so many of the oldest reads, and what follows them: most are as was certain, for which little is done,
 * with what changes in registers. Returns the unit it ends before, which is no read, or NULL. */
static inline const uint16_t *codec_reads(uint8_t most)
{
    struct predictor *p = &CODEC.predictor;
    const uint16_t *unit = ring_oldest();
    uint8_t recent = p->recent, longer = p->longer, hits = CODEC.hits, event = 0;
    uint16_t site = CODEC.site, value = CODEC.value, check = p->check;
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
        check = event_note(check, symbol);
        known = p->table[place];
        if (predict_certain(known, symbol)) {
            if (++hits != MOST_HITS)
                continue;
            p->check = check;
            CODEC.hits = hits;
            motet_encode_nothing();
        } else {
            p->check = check;
            p->longer = longer;
            CODEC.hits = hits;
            motet_encode_step(known & SURE ? STEP_WRONG : step_to(high), NO_VECTOR);
            motet_encode_unsure(site, place, symbol);
            if (known & SURE)
                motet_encode_check();
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
    motet_ring_take_to(unit);
    return NULL;
}

PRIVATE __attribute__((noinline)) void codec_units(void)
{
    enum { MOST = 16 };
    uint8_t units = ring_units();
    do {
        const uint16_t *event = codec_reads(units < MOST ? units : MOST); /* none takes more than one */
        if (event)
            motet_ring_take_to(motet_encode_event(event));
        units = ring_units();
    } while (units && !codec_waits());
}
#endif

PRIVATE uint8_t codec_confirm(void)
{
    const uint16_t notice[] = {EVENT_NOTICE << 8 | NOTICE_CHECK, CODEC.predictor.check};
    codec_other(EVENT_NOTICE, notice);
    return 1;
}

PRIVATE void codec_flush(void)
{
    codec_confirm();
    motet_encode_step(STEP_OTHER, NO_VECTOR);
    model_other(&K, &CODEC.model, OTHER_ANEW);
    coder_settle();
    coder_settle();
    K = (struct coder){.range = 0xffff};
}
