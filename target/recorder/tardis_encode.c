#include "tardis_encode.h"

#ifndef MOTET_HOST
#include "port.h"
#endif
#ifndef TARDIS_COUNT
#define TARDIS_COUNT(what, bits) ((void)0)
#endif

/* ---- bits ---- */

static void tardis_chunk(struct tardis *t, uint8_t stream, uint8_t flushed)
{
    struct tardis_stream *s = &t->streams[stream];
    tardis_out(t, (uint8_t)(stream << TARDIS_STREAM_SHIFT | flushed | (s->used - 1)));
    TARDIS_COUNT(TARDIS_FRAMES, 8);
    for (uint8_t i = 0; i < s->used; i++)
        tardis_out(t, s->bytes[i]);
    t->out += s->used;
    s->used = 0;
}

static void tardis_flush_stream(struct tardis *t, uint8_t stream)
{
    struct tardis_stream *s = &t->streams[stream];
    if (s->bits) {
        TARDIS_COUNT(TARDIS_FRAMES, 8 - s->bits);
        s->bytes[s->used++] = (uint8_t)((s->byte + 1) << (8 - s->bits)) - 1;
    }
    s->bits = 0;
    if (s->used)
        tardis_chunk(t, stream, TARDIS_FLUSHED);
}

static void tardis_full(struct tardis *t, uint8_t stream)
{
    if (stream == TARDIS_ORDER)
        tardis_flush_stream(t, TARDIS_STATE);
    tardis_chunk(t, stream, 0);
}

static void tardis_bits(struct tardis *t, uint8_t stream, uint8_t count, uint16_t value)
{
    struct tardis_stream *s = &t->streams[stream];
    uint16_t bit = (uint16_t)(1u << (count - 1));
    for (; bit; bit >>= 1) {
        s->byte = (uint8_t)(s->byte << 1) | ((value & bit) != 0);
        if (++s->bits < 8)
            continue;
        s->bits = 0;
        s->bytes[s->used++] = s->byte;
        if (s->used == (stream == TARDIS_ORDER ? TARDIS_ORDER_CHUNK : TARDIS_CHUNK))
            tardis_full(t, stream);
    }
}

/* ---- the order of events ---- */

/* Before the first event, not when a part begins: then what comes out still belongs to the part before. */
static void tardis_head(struct tardis *t)
{
    const struct tardis_compare *c = t->compares;
    uint8_t bits = t->format & TARDIS_VECTOR;
    tardis_bits(t, TARDIS_ORDER, 8, t->format);
    tardis_bits(t, TARDIS_ORDER, 4, t->compare_count);
    TARDIS_COUNT(TARDIS_BEYOND, 12);
    for (uint8_t i = t->compare_count; i; i--, c++) {
        tardis_bits(t, TARDIS_ORDER, bits, port_constant(&c->vector));
        tardis_bits(t, TARDIS_ORDER, 1, port_constant(&c->wide));
        tardis_bits(t, TARDIS_ORDER, 16, port_constant(&c->at));
        tardis_bits(t, TARDIS_ORDER, 16, port_constant(&c->control));
        TARDIS_COUNT(TARDIS_BEYOND, bits + 33);
    }
    t->begun = 1;
}

PRIVATE void tardis_order(struct tardis *t, uint8_t what)
{
    uint8_t n = t->events, bits = what < TARDIS_NOTHING ? what + 1 : what;
    if (!t->begun)
        tardis_head(t);
    if (n < 4)
        tardis_bits(t, TARDIS_ORDER, 3, n);
    else
        tardis_bits(t, TARDIS_ORDER, 7, 0x40 | n);
    TARDIS_COUNT(TARDIS_BEYOND, n < 4 ? 3 : 7);
    tardis_bits(t, TARDIS_ORDER, bits, what < TARDIS_NOTHING ? (uint16_t)((1u << bits) - 2) : 0x1f);
    TARDIS_COUNT(TARDIS_BEYOND, bits);
    t->events = 0;
    if (++t->entries % TARDIS_CHECK_EVERY == 0) {
        tardis_bits(t, TARDIS_ORDER, 8, (uint8_t)t->check);
        TARDIS_COUNT(TARDIS_BEYOND, 8);
    }
}

/* ---- data ---- */

static void tardis_literal(struct tardis *t)
{
    uint8_t byte = t->window[(uint8_t)(t->at - t->waiting) % TARDIS_WINDOW];
    tardis_bits(t, TARDIS_DATA, 9, byte);
    TARDIS_COUNT(TARDIS_FOR_DATA, 9);
    t->waiting--;
}

static void tardis_match(struct tardis *t)
{
    tardis_bits(t, TARDIS_DATA, 9, 0x100 | t->offset);
    tardis_bits(t, TARDIS_DATA, 8, t->length);
    TARDIS_COUNT(TARDIS_FOR_DATA, 17);
    t->offset = 0;
}

static uint8_t tardis_seen(const struct tardis *t, uint8_t back)
{
    return t->window[(uint8_t)(t->at - back) % TARDIS_WINDOW];
}

/* Where the last three bytes were seen before: how far back, or 0. */
static uint8_t tardis_find(struct tardis *t)
{
    uint8_t a = tardis_seen(t, 3), b = tardis_seen(t, 2), c = tardis_seen(t, 1);
    uint8_t *known = &t->hashes[(uint8_t)(((a * 5 + b) * 5 + c) ^ a >> 3 ^ b >> 5) % TARDIS_HASHES];
    uint8_t here = (uint8_t)(t->at - 3) % TARDIS_WINDOW, there = *known;
    *known = here + 1;
    if (!there)
        return 0;
    uint8_t back = (uint8_t)(here - (there - 1)) % TARDIS_WINDOW;
    if (back > TARDIS_FARTHEST || tardis_seen(t, back + 3) != a || tardis_seen(t, back + 2) != b ||
        tardis_seen(t, back + 1) != c)
        return 0;
    return back;
}

PRIVATE void tardis_byte(struct tardis *t, uint8_t byte)
{
    if (t->offset && (t->length == 0xff || tardis_seen(t, t->offset) != byte))
        tardis_match(t);
    t->window[t->at] = byte;
    if (t->offset) {
        t->at = (t->at + 1) % TARDIS_WINDOW;
        t->length++;
        return;
    }
    t->at = (t->at + 1) % TARDIS_WINDOW;
    if (++t->waiting < TARDIS_LEAST_MATCH)
        return;
    t->offset = tardis_find(t);
    if (t->offset) {
        t->length = TARDIS_LEAST_MATCH;
        t->waiting = 0;
    } else {
        tardis_literal(t);
    }
}

static void tardis_flush_data(struct tardis *t)
{
    if (t->offset)
        tardis_match(t);
    while (t->waiting)
        tardis_literal(t);
    tardis_flush_stream(t, TARDIS_DATA);
}

/* ---- when something goes out ---- */

/* All events so far can be put in order. */
static void tardis_flush_order(struct tardis *t)
{
    if (t->events)
        tardis_order(t, TARDIS_NOTHING);
    tardis_flush_stream(t, TARDIS_STATE);
    tardis_flush_stream(t, TARDIS_ORDER);
}

/* After each event that is written as a whole. */
static void tardis_told(struct tardis *t)
{
    if (t->out < TARDIS_FLUSH_EVERY)
        return;
    t->out = 0;
    t->turn = t->turn == TARDIS_ORDER ? TARDIS_DATA : t->turn + 1;
    if (t->turn == TARDIS_DATA)
        tardis_flush_data(t);
    else if (t->turn == TARDIS_INTERRUPTS)
        tardis_flush_stream(t, TARDIS_INTERRUPTS);
    else
        tardis_flush_order(t);
}

PRIVATE void tardis_event(struct tardis *t)
{
    if (++t->events == TARDIS_MOST_EVENTS)
        tardis_order(t, TARDIS_NOTHING);
    tardis_told(t);
}

/* ---- reads ---- */

/* Of the run that has ended, if there was one, and the new one's value. The first, of length 0, tells how many bits the
 * site's values have: that is to be known before they are needed. */
static void tardis_run(struct tardis *t, uint8_t index, uint8_t bits, uint16_t value)
{
    struct tardis_run *r = &t->runs[index];
    tardis_bits(t, TARDIS_STATE, 9, 0x1c0 | index);
    tardis_bits(t, TARDIS_STATE, 8, r->length);
    if (!r->length) {
        tardis_bits(t, TARDIS_STATE, 4, bits - 1);
        TARDIS_COUNT(TARDIS_BEYOND, 4);
    }
    tardis_bits(t, TARDIS_STATE, bits, value);
    TARDIS_COUNT(TARDIS_FOR_STATE, 17 + bits);
    r->length = 0;
    r->value = value;
}

static void tardis_state(struct tardis *t, uint8_t index, uint16_t live, uint16_t value)
{
    struct tardis_run *r = &t->runs[index];
    uint16_t packed = 0;
    uint8_t bits = 0;
    for (uint16_t bit = live > 0xff ? 0x8000 : 0x80; bit; bit >>= 1)
        if (live & bit) {
            packed = (uint16_t)(packed << 1) | ((value & bit) != 0);
            bits++;
        }
    if (!r->length || r->length == TARDIS_MOST_RUN || r->value != packed)
        tardis_run(t, index, bits, packed);
    r->length++;
}

PRIVATE void tardis_expect(struct tardis *t, uint8_t wide, uint16_t value)
{
    t->timer[wide] = value;
}

static void tardis_timer(struct tardis *t, uint8_t wide, uint16_t value)
{
    uint16_t difference = value - t->timer[wide];
    t->timer[wide] = value;
    if (!wide)
        difference &= 0xff;
    if (difference < 4) {
        tardis_bits(t, TARDIS_STATE, 3, difference);
        TARDIS_COUNT(TARDIS_FOR_TIMERS, 3);
    } else if (difference < 64) {
        tardis_bits(t, TARDIS_STATE, 8, 0x80 | difference);
        TARDIS_COUNT(TARDIS_FOR_TIMERS, 8);
    } else {
        uint8_t bits = wide || !(t->format & TARDIS_NARROW) ? 16 : 8;
        tardis_bits(t, TARDIS_STATE, 3, 6);
        if (t->format & TARDIS_NARROW)
            tardis_bits(t, TARDIS_STATE, 1, wide);
        tardis_bits(t, TARDIS_STATE, bits, difference);
        TARDIS_COUNT(TARDIS_FOR_TIMERS, 3 + (t->format >> 7) + bits);
    }
}

PRIVATE void tardis_read(struct tardis *t, uint16_t site, uint8_t wide, uint16_t live, uint16_t value)
{
    uint8_t index;
    t->check = event_note(event_note(t->check, site), value);
    if (tardis_class(site) == TARDIS_CLASS_TIMER) {
        tardis_timer(t, wide, value);
    } else if (tardis_class(site) == TARDIS_CLASS_STATE && live &&
               (index = tardis_index(t->sites, site)) < TARDIS_SITES) {
        tardis_state(t, index, live, value);
    } else {
        tardis_byte(t, (uint8_t)value);
        if (wide)
            tardis_byte(t, (uint8_t)(value >> 8));
    }
    tardis_event(t);
}

/* ---- interrupts, and the rest ---- */

PRIVATE void tardis_woke(struct tardis *t, uint8_t vector)
{
    uint8_t bits = 1 + (t->format & TARDIS_VECTOR);
    t->check = event_note(t->check, vector);
    tardis_bits(t, TARDIS_INTERRUPTS, bits, vector);
    TARDIS_COUNT(TARDIS_FOR_INTERRUPTS, bits);
    tardis_event(t);
}

static void tardis_stack(struct tardis *t, uint16_t sp)
{
    int16_t difference = (int16_t)(sp - t->sp);
    t->sp = sp;
    if (difference == 0)
        tardis_bits(t, TARDIS_ORDER, 1, 0);
    else if (difference >= -64 && difference < 64)
        tardis_bits(t, TARDIS_ORDER, 9, 0x100 | (difference & 0x7f));
    else
        tardis_bits(t, TARDIS_ORDER, 2, 3), tardis_bits(t, TARDIS_ORDER, 16, sp);
    TARDIS_COUNT(TARDIS_BEYOND, difference == 0 ? 1 : difference >= -64 && difference < 64 ? 9 : 18);
}

PRIVATE void tardis_interrupt(struct tardis *t, uint8_t where, uint8_t vector, uint16_t address, uint16_t count,
                              uint16_t sp, const uint16_t *hash)
{
    uint8_t bits = t->format & TARDIS_VECTOR, wide = count > 0xff;
    tardis_order(t, where);
    tardis_bits(t, TARDIS_INTERRUPTS, 2 + bits, (uint16_t)((2 | wide) << bits | vector));
    if (where != TARDIS_INSIDE)
        tardis_bits(t, TARDIS_INTERRUPTS, 16, address);
    tardis_bits(t, TARDIS_INTERRUPTS, wide ? 16 : 8, count);
    TARDIS_COUNT(TARDIS_FOR_INTERRUPTS, 2 + bits + (where != TARDIS_INSIDE ? 16 : 0) + (wide ? 16 : 8));
    if (where != TARDIS_INSIDE)
        tardis_stack(t, sp);
    if (where == TARDIS_LIBRARY) {
        tardis_bits(t, TARDIS_ORDER, 16, hash[0]);
        tardis_bits(t, TARDIS_ORDER, 16, hash[1]);
        TARDIS_COUNT(TARDIS_BEYOND, 32);
    }
    t->check = tardis_note(t->check, where, vector, address, count, sp);
    tardis_told(t);
}

PRIVATE void tardis_notice(struct tardis *t, uint8_t mark, uint16_t value)
{
    tardis_order(t, TARDIS_NOTICE);
    tardis_bits(t, TARDIS_ORDER, 3, mark);
    tardis_bits(t, TARDIS_ORDER, 16, value);
    TARDIS_COUNT(TARDIS_BEYOND, 19);
}

PRIVATE void tardis_flush(struct tardis *t)
{
    tardis_flush_data(t);
    tardis_flush_stream(t, TARDIS_INTERRUPTS);
    tardis_flush_order(t);
}

PRIVATE void tardis_begin(struct tardis *t, uint8_t format, const struct tardis_compare *compares, uint8_t count)
{
    for (uint16_t i = 0; i < (uint16_t)sizeof *t; i++)
        ((volatile uint8_t *)t)[i] = 0;
    t->format = format;
    t->turn = TARDIS_INTERRUPTS;
    t->compares = compares;
    t->compare_count = count;
}
