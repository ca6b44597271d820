#include "record_codec.h"

#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "record/decoder.h"

/* ---- what the node's encoder stands on ---- */

#pragma GCC diagnostic ignored "-Wunused-function" /* not all of the recorder is wanted */
#define MOTET_UNIT
#define MOTET_HOST
#define MOTET_CODEC_motet
#include "../target/recorder/config.h"
#include "../target/recorder/event.h"
#include "../target/recorder/out.h"
#include "../target/recorder/ring.h"

enum { OFF, RECORDING, LOSING };
enum { MOST_UNITS = 4 };
static struct {
    uint8_t state, out_count;
} recorder;
#define R recorder
enum { OUT_ROOM = 255 };

static uint16_t ring[MOST_UNITS][2];
static unsigned unit_count, first_unit;
static struct trace_bytes coded;

static uint16_t *ring_oldest(void)
{
    return ring[first_unit];
}

static const uint16_t *ring_next(const uint16_t *unit)
{
    return unit + UNIT / 2;
}

static uint8_t ring_units(void)
{
    return (uint8_t)(unit_count - first_unit);
}

void motet_ring_take_to(const uint16_t *unit)
{
    first_unit = (unsigned)(unit - ring[0]) / 2;
}

static void ring_close(void) {}

static void out_put(uint8_t byte)
{
    if (coded.count == coded.room) {
        coded.room = coded.room ? 2 * coded.room : 4096;
        coded.bytes = realloc(coded.bytes, coded.room);
        if (!coded.bytes)
            abort();
    }
    coded.bytes[coded.count++] = byte;
}

static void out_carry(void)
{
    for (size_t i = coded.count; !++coded.bytes[--i];)
        ;
}

#define CHIP_COMPARES(X) X(6, 1, 0x172, 0x162) X(13, 1, 0x192, 0x182) X(15, 0, 0x51, 0) X(9, 0, 0x43, 0)
static uint8_t codec_waits(void)
{
    return 0;
}
static bool stamped; /* the trace has cycles */
#define STAMPED(m) stamped
/* NOLINTBEGIN(bugprone-suspicious-include): the node's code runs here as it is, with this file's settings */
#include "../target/recorder/coder.c"
#include "../target/recorder/codec_model.c"
#include "../target/recorder/codec_motet.c"
/* NOLINTEND(bugprone-suspicious-include) */

/* ---- events ---- */

static void put(unsigned first, unsigned second)
{
    ring[unit_count][0] = (uint16_t)first;
    ring[unit_count++][1] = (uint16_t)second;
}

static void put_event(const struct trace_event *e)
{
    if (e->kind != TRACE_READ && e->kind != TRACE_BYTE && e->size)
        put(EVENT_WRAPPED << 8 | e->size, e->value);
    switch (e->kind) {
    case TRACE_READ: put(e->site | (e->size == 2 ? WIDE : 0u), e->value); break;
    case TRACE_BYTE: break; /* no application here has hardware that writes to memory */
    case TRACE_WOKE: put(EVENT_WOKE << 8 | e->vector, 0); break;
    case TRACE_INSIDE: put(EVENT_INSIDE << 8 | e->vector, e->count); break;
    case TRACE_WRAPPED: put(EVENT_WRAPPED << 8, 0); break;
    case TRACE_INTERRUPT:
        put(EVENT_INTERRUPT << 8 | e->vector, e->address);
        put(e->count, e->sp);
        break;
    default:
        put(EVENT_LIBRARY << 8 | e->vector, e->address);
        put(e->count, e->hash & 0xffff);
        put(e->hash >> 16, e->sp);
    }
}

static void encode(void)
{
    codec_units();
    unit_count = first_unit = 0;
}

static void begin(const struct trace *t)
{
    R.state = RECORDING;
    stamped = t->stamped;
    unit_count = first_unit = 0;
    coded.count = 0;
    codec_begin();
    put(EVENT_NOTICE << 8 | NOTICE_BEGIN, 0);
    encode();
}

/* Bits so far, those that are not settled yet included. */
static double position(void)
{
    return 8.0 * (double)coded.count - log2(K.range);
}

void codec_cost(const struct trace *t, size_t from, struct codec_cost *c)
{
    double *const by_class[] = {&c->state, &c->timers, &c->data, &c->data};
    begin(t);
    for (size_t i = 0; i < t->count; i++) {
        const struct trace_event *e = &t->events[i];
        double before = position();
        put_event(e);
        encode();
        if (i < from)
            continue;
        double *to = e->kind == TRACE_READ      ? by_class[e->site >> 13 & 3]
                     : e->kind == TRACE_BYTE    ? &c->data
                     : e->kind == TRACE_WRAPPED ? &c->rest
                                                : &c->interrupts;
        *to += position() - before;
        if (to == &c->interrupts && e->kind != TRACE_WOKE) {
            c->awake += position() - before;
            c->awake_count++;
        }
    }
}

/* ---- and back ---- */

static bool same_interrupt(const struct log_event *is, const struct trace_event *was)
{
    static const uint8_t where[] = {[TRACE_INTERRUPT] = LOG_IN_CODE,
                                    [TRACE_LIBRARY] = LOG_IN_LIBRARY,
                                    [TRACE_WOKE] = LOG_ASLEEP,
                                    [TRACE_INSIDE] = LOG_INSIDE};
    if (is->kind != LOG_INTERRUPT || is->where != where[was->kind] || is->vector != was->vector)
        return false;
    if (was->kind == TRACE_WOKE)
        return true;
    if (is->count != was->count)
        return false;
    return was->kind == TRACE_INSIDE || (is->address == was->address && is->sp == was->sp &&
                                         (was->kind == TRACE_INTERRUPT || is->hash == was->hash));
}

static bool decodes_to(struct decoder *d, const struct log_part *p, const struct trace_event *e)
{
    unsigned value;
    if (e->kind == TRACE_READ)
        return decoder_read(d, p, e->site, e->size, e->live, &value) && value == e->value;
    if (e->kind == TRACE_BYTE)
        return true;
    if (e->kind == TRACE_WOKE)
        decoder_wake(d, p);
    bool same = e->kind == TRACE_WRAPPED ? d->next.kind == LOG_WRAPPED : same_interrupt(&d->next, e);
    if (same && e->size) {
        static uint8_t data[0x200];
        unsigned at = e->vector == 6 ? 0x172 : e->vector == 13 ? 0x192 : e->vector == 15 ? 0x51 : 0x43;
        data[at] = (uint8_t)e->value;
        data[at + 1] = (uint8_t)(e->value >> 8);
        decoder_expect(d, p, data, sizeof data);
    }
    if (same)
        decoder_take(d, p);
    return same;
}

bool codec_check(const struct trace *t)
{
    struct decoder d;
    begin(t);
    for (size_t i = 0; i < t->count; i++) {
        put_event(&t->events[i]);
        encode();
    }
    codec_flush();
    struct log_part p = {.codec = LOG_MOTET, .bytes = coded.bytes, .size = coded.count};
    decoder_begin(&d, &p);
    if (d.next.kind != LOG_NOTICE)
        return bench_wrong("the codec does not begin with its mark");
    decoder_take(&d, &p);
    for (size_t i = 0; i < t->count; i++)
        if (!decodes_to(&d, &p, &t->events[i]))
            return bench_wrong("event %zu of %zu (kind %u) does not come out of the codec as it went in", i, t->count,
                               t->events[i].kind);
    return true;
}
