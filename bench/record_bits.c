#include "record_bits.h"

#include <string.h>

/* ---- what the node's encoder stands on ---- */

#pragma GCC diagnostic ignored "-Wunused-function" /* not all of the recorder is wanted */
#define MOTET_UNIT
#define MOTET_HOST
#define MOTET_CODEC_bits
#include "../target/recorder/codec_bits.h"
#include "../target/recorder/config.h"
#include "../target/recorder/event.h"
#include "../target/recorder/out.h"
#include "../target/recorder/ring.h"

enum { MOST_UNITS = 4 };
static struct {
    struct bits_coder coder;
} recorder;
#define R recorder

static uint16_t ring[MOST_UNITS][2];
static unsigned unit_count, first_unit;
static size_t coded; /* bytes */

static uint16_t *ring_oldest(void)
{
    return ring[first_unit];
}

static void ring_take(void)
{
    first_unit++;
}

static void ring_close(void) {}

static void out_put(uint8_t byte)
{
    (void)byte;
    coded++;
}

static void out_put_constant(const uint8_t *at, uint8_t count)
{
    (void)at;
    coded += count;
}

#define PORT_CONSTANT
#define CHIP_COMPARES(X) X(6, 1, 0x172, 0x162) X(13, 1, 0x192, 0x182) X(15, 0, 0x51, 0) X(9, 0, 0x43, 0)
/* NOLINTBEGIN(bugprone-suspicious-include): the node's code runs here as it is, with this file's settings */
#include "../target/recorder/codec_bits.c"
/* NOLINTEND(bugprone-suspicious-include) */

/* ---- events, as entry_put() in entries.c has them ---- */

static void bits_unit(unsigned first, unsigned second)
{
    ring[unit_count][0] = (uint16_t)first;
    ring[unit_count++][1] = (uint16_t)second;
}

static void bits_trace_event(const struct trace_event *e)
{
    first_unit = unit_count = 0;
    if (e->kind != TRACE_READ && e->kind != TRACE_BYTE && e->size)
        bits_unit(EVENT_WRAPPED << 8 | e->size, e->value);
    switch (e->kind) {
    case TRACE_READ: bits_unit(e->site | (e->size == 2 ? WIDE : 0u), e->value); break;
    case TRACE_BYTE: break; /* no application here has hardware that writes to memory */
    case TRACE_WOKE: bits_unit(EVENT_WOKE << 8 | e->vector, 0); break;
    case TRACE_WRAPPED: bits_unit(EVENT_WRAPPED << 8, 0); break;
    case TRACE_INSIDE:
        bits_unit(EVENT_INSIDE << 8 | e->vector, 0);
        bits_unit(e->count, 0);
        break;
    default:
        bits_unit((e->kind == TRACE_LIBRARY ? EVENT_LIBRARY : EVENT_INTERRUPT) << 8 | e->vector, e->address);
        bits_unit(e->count, e->sp);
        if (e->kind == TRACE_LIBRARY)
            bits_unit(e->hash & 0xffff, e->hash >> 16);
    }
    while (first_unit < unit_count)
        codec_units();
}

double bits_cost(const struct trace *t)
{
    coded = 0;
    codec_begin();
    for (size_t i = 0; i < t->count; i++)
        bits_trace_event(&t->events[i]);
    codec_flush();
    return 8.0 * (double)coded;
}
