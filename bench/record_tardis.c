#include "record_tardis.h"

#include <string.h>

/* ---- what the node's encoder stands on ---- */

#pragma GCC diagnostic ignored "-Wunused-function" /* not all of the encoder is wanted */
#define MOTET_UNIT
#define MOTET_HOST
#define MOTET_CODEC_tardis
static double spent[6]; /* by TARDIS_FOR_STATE and so on */
#define TARDIS_COUNT(what, bits) (spent[what] += (bits))
#define port_constant(at)        (*(at))
/* NOLINTBEGIN(bugprone-suspicious-include): the node's code runs here as it is, with this file's settings */
#include "../target/recorder/tardis_encode.c"
/* NOLINTEND(bugprone-suspicious-include) */

static void tardis_out(struct tardis *t, uint8_t byte)
{
    (void)t, (void)byte;
}

/* ---- events ---- */

/* Of the boards: how many bits a vector has, and whether timers of 8 bits are told apart (PORT_TARDIS). */
enum { FORMAT_AVR = 6 | TARDIS_NARROW, FORMAT_MSP430 = 4 };

static void tardis_encode_event(struct tardis *t, const struct trace_event *e)
{
    const uint16_t hash[] = {(uint16_t)e->hash, (uint16_t)(e->hash >> 16)};
    bool interrupt = e->kind != TRACE_READ && e->kind != TRACE_BYTE && e->kind != TRACE_WRAPPED;
    if (interrupt && e->size)
        tardis_expect(t, e->size - 1, e->value);
    if (interrupt && e->overflow)
        tardis_expect(t, e->overflow - 1, 0);
    switch (e->kind) {
    case TRACE_READ: tardis_read(t, e->site, e->size - 1, e->live, e->value); break;
    case TRACE_BYTE: tardis_byte(t, (uint8_t)e->value); break;
    case TRACE_WRAPPED: tardis_order(t, TARDIS_WRAPPED); break;
    case TRACE_WOKE: tardis_woke(t, e->vector); break;
    case TRACE_INSIDE: tardis_interrupt(t, TARDIS_INSIDE, e->vector, 0, e->count, 0, NULL); break;
    default:
        tardis_interrupt(t, e->kind == TRACE_LIBRARY ? TARDIS_LIBRARY : TARDIS_CODE, e->vector, e->address, e->count,
                         e->sp, hash);
    }
}

void tardis_cost(const struct trace *trace, size_t from, struct tardis_cost *c)
{
    static struct tardis t;
    double before[6] = {0};
    memset(spent, 0, sizeof spent);
    tardis_begin(&t, trace->avr ? FORMAT_AVR : FORMAT_MSP430, NULL, 0);
    for (size_t i = 0; i < trace->count; i++) {
        if (i == from)
            memcpy(before, spent, sizeof before);
        tardis_encode_event(&t, &trace->events[i]);
    }
    if (from >= trace->count)
        return;
    tardis_flush(&t);
    c->state += spent[TARDIS_FOR_STATE] - before[TARDIS_FOR_STATE];
    c->timers += spent[TARDIS_FOR_TIMERS] - before[TARDIS_FOR_TIMERS];
    c->data += spent[TARDIS_FOR_DATA] - before[TARDIS_FOR_DATA];
    c->interrupts += spent[TARDIS_FOR_INTERRUPTS] - before[TARDIS_FOR_INTERRUPTS];
    c->beyond += spent[TARDIS_BEYOND] - before[TARDIS_BEYOND];
    c->frames += spent[TARDIS_FRAMES] - before[TARDIS_FRAMES];
}
