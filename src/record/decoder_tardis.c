/* Logs of the tardis codec. The log holds how long a state register kept a value when it changes. So each index has
 * its own place in the stream, where the search for its next change begins. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../target/recorder/codec_tardis.h"
#include "record/decoder_codec.h"

/* A place in one of the streams. All zero: its beginning. */
struct place {
    uint32_t at;   /* of the byte, in the part; with nothing left, from where to look for the next chunk */
    uint8_t left;  /* bytes of the chunk, this one with them */
    uint8_t taken; /* bits of this byte */
    bool flushed;
};

struct run {
    struct place next; /* after the description of the change at its end */
    uint16_t value, after;
    uint8_t left; /* reads that give the value */
    bool open;    /* as far as the log goes */
};

struct state {
    struct place timers, data, interrupts, order;
    struct run runs[TARDIS_SITES];
    uint16_t sites[TARDIS_SITES];
    uint8_t bits[TARDIS_SITES]; /* of values there; 0: not known yet */
    uint16_t timer[2];
    struct tardis_compare compares[TARDIS_COMPARES];
    uint8_t compare_count;
    uint16_t sp;
    uint8_t format;
    uint8_t window[TARDIS_WINDOW];
    uint8_t window_at, offset, length; /* of the match under way, as long as there is length */
    bool loaded;                       /* an entry of the fourth stream, with what follows */
    uint8_t left;                      /* events before what it leads to */
    uint8_t what, entries, expected;
    uint16_t check; /* of all events so far (event.h) */
    bool checks;
};
_Static_assert(sizeof(struct state) <= DECODER_MODEL, "the state has its place in the decoder");

struct reader {
    struct decoder *d;
    const struct log_part *p;
    struct state *s;
    bool ended, damaged, changed;
};

static struct reader reader_of(struct decoder *d, const struct log_part *p)
{
    return (struct reader){d, p, (struct state *)d->model, false, false, false};
}

/* True if the log has what was asked for; else says what there is instead. */
static bool well(struct reader *r)
{
    if (r->changed)
        return false;
    if (r->ended || r->damaged)
        r->d->next = (struct log_event){.kind = r->ended ? LOG_END : LOG_DAMAGED, .site = UINT32_MAX};
    return !r->ended && !r->damaged;
}

/* ---- bits ---- */

static bool find_chunk(struct reader *r, struct place *at, unsigned stream)
{
    while (at->at < r->p->size) {
        unsigned head = r->p->bytes[at->at], size = head % TARDIS_CHUNK + 1;
        if (head >> TARDIS_STREAM_SHIFT == stream) {
            size_t there = r->p->size - at->at - 1;
            at->at++;
            at->left = (uint8_t)(size < there ? size : there);
            at->taken = 0;
            at->flushed = head & TARDIS_FLUSHED;
            if (at->left)
                return true;
        }
        at->at += (uint32_t)(at->at < r->p->size ? 1 + size : 0);
    }
    r->ended = true;
    return false;
}

static unsigned decoder_tardis_bits(struct reader *r, struct place *at, unsigned stream, unsigned count)
{
    unsigned value = 0;
    for (; count; count--) {
        if (!at->left && !find_chunk(r, at, stream))
            return 0;
        value = value << 1 | (r->p->bytes[at->at] >> (7 - at->taken) & 1);
        if (++at->taken < 8)
            continue;
        at->taken = 0;
        at->at++;
        at->left--;
        if (at->at > r->d->at)
            r->d->at = at->at; /* the farthest: how much of the log was used */
    }
    return value;
}

/* Before an entry: over the ones that fill the last byte of a chunk. */
static void skip_filling(const struct reader *r, struct place *at)
{
    unsigned mask = 0xffu >> at->taken;
    if (!at->flushed || at->left != 1 || !at->taken || (r->p->bytes[at->at] & mask) != mask)
        return;
    at->taken = 0;
    at->at++;
    at->left = 0;
}

/* ---- state registers and timers ---- */

enum { NO_INDEX = TARDIS_SITES };

struct state_entry {
    unsigned index;  /* NO_INDEX: of a timer */
    unsigned length; /* of the run that has ended; 0: there was none */
    unsigned value;
};

/* The description of a change. */
static void change(struct reader *r, struct place *at, struct state_entry *e)
{
    uint8_t *width;
    e->index = decoder_tardis_bits(r, at, TARDIS_STATE, 6);
    e->length = decoder_tardis_bits(r, at, TARDIS_STATE, 8);
    width = &r->s->bits[e->index];
    if (!e->length) {
        unsigned stated = decoder_tardis_bits(r, at, TARDIS_STATE, 4) + 1;
        r->damaged |= !r->ended && *width && *width != stated;
        *width = r->ended ? *width : (uint8_t)stated;
    }
    r->damaged |= !r->ended && !*width;
    e->value = decoder_tardis_bits(r, at, TARDIS_STATE, *width);
}

static bool state_entry(struct reader *r, struct place *at, struct state_entry *e)
{
    skip_filling(r, at);
    *e = (struct state_entry){.index = NO_INDEX};
    if (!decoder_tardis_bits(r, at, TARDIS_STATE, 1)) {
        e->value = decoder_tardis_bits(r, at, TARDIS_STATE, 2);
    } else if (!decoder_tardis_bits(r, at, TARDIS_STATE, 1)) {
        e->value = decoder_tardis_bits(r, at, TARDIS_STATE, 6);
    } else if (!decoder_tardis_bits(r, at, TARDIS_STATE, 1)) {
        bool wide = !(r->s->format & TARDIS_NARROW) || decoder_tardis_bits(r, at, TARDIS_STATE, 1);
        e->value = decoder_tardis_bits(r, at, TARDIS_STATE, wide ? 16 : 8);
    } else {
        change(r, at, e);
    }
    return !r->ended && !r->damaged;
}

static bool decoder_tardis_next_change(struct reader *r, unsigned index, struct state_entry *e)
{
    do {
        if (!state_entry(r, &r->s->runs[index].next, e))
            return false;
    } while (e->index != index);
    return true;
}

/* To the run that begins with this read. */
static void next_run(struct reader *r, unsigned index)
{
    struct run *run = &r->s->runs[index];
    struct state_entry e;
    if (!run->next.at) { /* the first */
        if (!decoder_tardis_next_change(r, index, &e))
            return;
        r->damaged |= e.length != 0;
        run->after = (uint16_t)e.value;
    }
    run->value = run->after;
    if (decoder_tardis_next_change(r, index, &e)) {
        r->damaged |= !e.length;
        run->left = (uint8_t)e.length;
        run->after = (uint16_t)e.value;
    } else if (r->ended) { /* then it has not changed any more */
        run->open = true;
        r->ended = false;
    }
}

static unsigned state_read(struct reader *r, unsigned index, unsigned live)
{
    struct run *run = &r->s->runs[index];
    unsigned value = 0, taken = 0;
    if (!run->left && !run->open)
        next_run(r, index);
    for (unsigned bit = 0; bit < 16; bit++)
        if (live >> bit & 1)
            value |= (run->value >> taken++ & 1u) << bit;
    r->damaged |= !r->ended && taken != r->s->bits[index];
    run->left -= !run->open;
    return value;
}

static unsigned timer_read(struct reader *r, bool wide)
{
    struct state_entry e;
    do {
        if (!state_entry(r, &r->s->timers, &e))
            return 0;
    } while (e.index != NO_INDEX);
    return r->s->timer[wide] = (uint16_t)((r->s->timer[wide] + e.value) & (wide ? 0xffff : 0xff));
}

/* ---- data ---- */

static uint8_t data_byte(struct reader *r)
{
    struct state *s = r->s;
    uint8_t byte;
    if (!s->length) {
        skip_filling(r, &s->data);
        s->offset = 0;
        s->length = 1;
        if (decoder_tardis_bits(r, &s->data, TARDIS_DATA, 1)) {
            s->offset = (uint8_t)decoder_tardis_bits(r, &s->data, TARDIS_DATA, 8);
            s->length = (uint8_t)decoder_tardis_bits(r, &s->data, TARDIS_DATA, 8);
            r->damaged |= !r->ended && (!s->length || !s->offset || s->offset > TARDIS_FARTHEST);
        }
    }
    if (s->offset)
        byte = s->window[(unsigned)(s->window_at - s->offset) % TARDIS_WINDOW];
    else
        byte = (uint8_t)decoder_tardis_bits(r, &s->data, TARDIS_DATA, 8);
    s->length--;
    s->window[s->window_at] = byte;
    s->window_at = (s->window_at + 1) % TARDIS_WINDOW;
    return byte;
}

/* ---- interrupts ---- */

static void decoder_tardis_interrupt(struct reader *r, struct log_event *e)
{
    static const uint8_t wheres[] = {LOG_IN_CODE, LOG_IN_LIBRARY, LOG_INSIDE};
    struct state *s = r->s;
    struct place *at = &s->interrupts, *order = &s->order;
    skip_filling(r, at);
    r->damaged |= !decoder_tardis_bits(r, at, TARDIS_INTERRUPTS, 1) && !r->ended; /* that is one that ended sleep */
    bool wide = decoder_tardis_bits(r, at, TARDIS_INTERRUPTS, 1);
    e->kind = LOG_INTERRUPT;
    e->where = wheres[s->what];
    e->vector = (uint8_t)decoder_tardis_bits(r, at, TARDIS_INTERRUPTS, s->format & TARDIS_VECTOR);
    if (s->what != TARDIS_INSIDE)
        e->address = (uint16_t)decoder_tardis_bits(r, at, TARDIS_INTERRUPTS, 16);
    e->count = (uint16_t)decoder_tardis_bits(r, at, TARDIS_INTERRUPTS, wide ? 16 : 8);
    if (s->what != TARDIS_INSIDE) {
        if (decoder_tardis_bits(r, order, TARDIS_ORDER, 1)) {
            if (decoder_tardis_bits(r, order, TARDIS_ORDER, 1))
                s->sp = (uint16_t)decoder_tardis_bits(r, order, TARDIS_ORDER, 16);
            else
                s->sp = (uint16_t)(s->sp + (decoder_tardis_bits(r, order, TARDIS_ORDER, 7) ^ 0x40) - 0x40);
        }
        e->sp = s->sp;
    }
    if (s->what == TARDIS_LIBRARY) {
        e->hash = decoder_tardis_bits(r, order, TARDIS_ORDER, 16);
        e->hash |= (uint32_t)decoder_tardis_bits(r, order, TARDIS_ORDER, 16) << 16;
    }
    s->check = tardis_note(s->check, s->what, e->vector, e->address, e->count, e->sp);
}

/* The CPU sleeps, and one of the events that are left is the interrupt which wakes it. */
static void decoder_tardis_wake(struct decoder *d, const struct log_part *p)
{
    struct reader r = reader_of(d, p);
    struct state *s = r.s;
    if (d->next.kind != LOG_READ)
        return;
    skip_filling(&r, &s->interrupts);
    struct log_event e = {.kind = LOG_INTERRUPT, .where = LOG_ASLEEP, .site = UINT32_MAX};
    r.damaged = decoder_tardis_bits(&r, &s->interrupts, TARDIS_INTERRUPTS, 1) && !r.ended;
    e.vector = (uint8_t)decoder_tardis_bits(&r, &s->interrupts, TARDIS_INTERRUPTS, s->format & TARDIS_VECTOR);
    s->check = event_note(s->check, e.vector);
    if (well(&r))
        d->next = e;
}

/* ---- the order of events ---- */

static void decoder_tardis_load(struct reader *r)
{
    struct state *s = r->s;
    struct place *at = &s->order;
    skip_filling(r, at);
    s->left = (uint8_t)decoder_tardis_bits(r, at, TARDIS_ORDER, decoder_tardis_bits(r, at, TARDIS_ORDER, 1) ? 6 : 2);
    for (s->what = 0; s->what < TARDIS_NOTHING && decoder_tardis_bits(r, at, TARDIS_ORDER, 1);)
        s->what++;
    s->checks = ++s->entries % TARDIS_CHECK_EVERY == 0;
    if (s->checks)
        s->expected = (uint8_t)decoder_tardis_bits(r, at, TARDIS_ORDER, 8);
    s->loaded = true;
}

/* What the entry leads to. */
static void decoder_tardis_arrive(struct reader *r, struct log_event *e)
{
    struct state *s = r->s;
    r->damaged |= s->checks && (uint8_t)s->check != s->expected;
    s->loaded = false;
    switch (s->what) {
    case TARDIS_NOTHING: break;
    case TARDIS_WRAPPED: e->kind = LOG_WRAPPED; break;
    case TARDIS_NOTICE:
        e->kind = LOG_NOTICE;
        e->notice = (uint8_t)decoder_tardis_bits(r, &s->order, TARDIS_ORDER, 3);
        e->value = (uint16_t)decoder_tardis_bits(r, &s->order, TARDIS_ORDER, 16);
        if (e->notice == NOTICE_CHECK && !r->ended) {
            r->changed = !decoder_checked(r->d, e->value, s->check);
            *e = (struct log_event){.kind = LOG_READ, .site = UINT32_MAX};
        }
        break;
    default: decoder_tardis_interrupt(r, e);
    }
}

/* To the next event. Ends, for each entry takes bits. */
static void decoder_tardis_go_on(struct reader *r)
{
    struct state *s = r->s;
    struct log_event e = {.kind = LOG_READ, .site = UINT32_MAX};
    while (e.kind == LOG_READ) {
        if (!s->loaded)
            decoder_tardis_load(r);
        if (!well(r))
            return;
        if (s->left)
            break;
        decoder_tardis_arrive(r, &e);
        if (!well(r))
            return;
    }
    r->d->next = e;
}

static void decoder_tardis_load_compares(struct reader *r)
{
    struct state *s = r->s;
    s->compare_count = (uint8_t)decoder_tardis_bits(r, &s->order, TARDIS_ORDER, 4);
    for (struct tardis_compare *c = s->compares; c < s->compares + s->compare_count; c++) {
        c->vector = (uint16_t)decoder_tardis_bits(r, &s->order, TARDIS_ORDER, s->format & TARDIS_VECTOR);
        c->wide = (uint16_t)decoder_tardis_bits(r, &s->order, TARDIS_ORDER, 1);
        c->at = (uint16_t)decoder_tardis_bits(r, &s->order, TARDIS_ORDER, 16);
        c->control = (uint16_t)decoder_tardis_bits(r, &s->order, TARDIS_ORDER, 16);
    }
}

static void decoder_tardis_begin(struct decoder *d, const struct log_part *p)
{
    struct reader r = reader_of(d, p);
    r.s->format = (uint8_t)decoder_tardis_bits(&r, &r.s->order, TARDIS_ORDER, 8);
    unsigned vector = r.s->format & TARDIS_VECTOR;
    r.damaged = !r.ended && (vector < 4 || vector > 6);
    if (well(&r))
        decoder_tardis_load_compares(&r);
    decoder_tardis_go_on(&r);
}

static void decoder_tardis_advance(struct decoder *d, const struct log_part *p)
{
    struct reader r = reader_of(d, p);
    bool counted = d->next.kind == LOG_READ || (d->next.kind == LOG_INTERRUPT && d->next.where == LOG_ASLEEP);
    if (d->next.kind == LOG_DAMAGED || d->next.kind == LOG_CHANGED || d->next.kind == LOG_END)
        return;
    r.s->left -= counted;
    decoder_tardis_go_on(&r);
}

/* ---- reads ---- */

static bool decoder_tardis_read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size,
                                unsigned live, unsigned *value)
{
    struct reader r = reader_of(d, p);
    unsigned class = tardis_class((uint16_t)site), index = NO_INDEX;
    if (class == TARDIS_CLASS_STATE && live)
        index = tardis_index(r.s->sites, (uint16_t)site);
    if (class == TARDIS_CLASS_TIMER) {
        *value = timer_read(&r, size == 2);
    } else if (index != NO_INDEX) {
        *value = state_read(&r, index, live);
    } else {
        *value = data_byte(&r);
        if (size == 2)
            *value |= (unsigned)data_byte(&r) << 8;
    }
    r.s->check = event_note(event_note(r.s->check, (uint16_t)site), (uint16_t)*value);
    return well(&r);
}

static bool decoder_tardis_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size,
                                 uint8_t *bytes)
{
    struct reader r = reader_of(d, p);
    r.s->check = event_note(r.s->check, (uint16_t)site);
    for (unsigned i = 0; i < size && !r.ended && !r.damaged; i++) {
        bytes[i] = data_byte(&r);
        r.s->check = event_note(r.s->check, bytes[i]);
    }
    return well(&r);
}

static unsigned decoder_tardis_word_at(const uint8_t *data, size_t size, unsigned at)
{
    return at + 1u < size ? data[at] | (unsigned)data[at + 1] << 8 : 0;
}

/* The next read of a timer is near to what its compare register has when its interrupt comes. */
static void decoder_tardis_expect(struct decoder *d, const uint8_t *data, size_t size)
{
    struct state *s = (struct state *)d->model;
    for (const struct tardis_compare *c = s->compares; c < s->compares + s->compare_count; c++)
        if (c->vector == d->next.vector &&
            !(c->control && decoder_tardis_word_at(data, size, c->control) & TARDIS_CAPTURES))
            s->timer[c->wide] =
                (uint16_t)(c->at ? decoder_tardis_word_at(data, size, c->at) & (c->wide ? 0xffff : 0xff) : 0);
}

const struct decoder_codec decoder_tardis = {decoder_tardis_begin, decoder_tardis_advance, decoder_tardis_read,
                                             decoder_tardis_block, decoder_tardis_wake,    decoder_tardis_expect};
