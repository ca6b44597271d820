#include <stddef.h>
#include <stdint.h>

#define MOTET_UNIT /* what the recorder's files share is static */
#define CODEC_DECODES
#include "../../target/recorder/codec_bits.h"
#include "../../target/recorder/event.h"
#include "record/decoder_codec.h"
#include "record/decoder_compares.h"

/* To what a step leads. */
enum bits_step { BITS_UNSURE, BITS_WRONG, BITS_INTERRUPT, BITS_OTHER };

struct bits_state {
    struct bits_model model; /* its hits: reads that a step to something unsure went over */
    struct compares compares;
    uint8_t bit;   /* of the byte at decoder.at, counted from its highest */
    uint8_t step;  /* under way: enum bits_step */
    uint8_t other; /* and what else */
    uint8_t left;  /* reads that were certain, before it ends */
    uint8_t done;  /* it has ended */
};
_Static_assert(sizeof(struct bits_state) <= DECODER_MODEL, "the state has its place in the decoder");

struct bits {
    struct decoder *d;
    const struct log_part *p;
    struct bits_state *s;
};

static struct bits bits_of(struct decoder *d, const struct log_part *p)
{
    return (struct bits){d, p, (struct bits_state *)d->model};
}

/* ---- bits and numbers ---- */

/* After the end there are zeros; `at` shows that it has gone too far. */
static unsigned bits_take(struct bits *b, unsigned count)
{
    unsigned value = 0;
    for (; count; count--) {
        uint32_t at = b->d->at;
        unsigned byte = at < b->p->size ? b->p->bytes[at] : 0;
        value = value << 1 | (byte >> (7 - b->s->bit) & 1);
        b->s->bit = (uint8_t)((b->s->bit + 1) % 8);
        b->d->at += b->s->bit == 0;
    }
    return value;
}

static void bits_say(struct bits *b, enum log_kind kind)
{
    b->d->next = (struct log_event){.kind = (uint8_t)kind, .site = UINT32_MAX};
}

static bool bits_is_over(const struct decoder *d)
{
    return d->next.kind == LOG_DAMAGED || d->next.kind == LOG_CHANGED;
}

/* Bits of the last byte have been taken, or more than that. */
static bool bits_ended(struct bits *b)
{
    if (b->d->at < b->p->size || (b->d->at == b->p->size && b->s->bit == 0))
        return false;
    if (!bits_is_over(b->d))
        bits_say(b, LOG_END);
    return true;
}

/* A number of more than 16 bits is none: as after the end of a log, where zeros have no end. */
static uint16_t bits_take_number(struct bits *b, unsigned kind)
{
    uint8_t *usual = &b->s->model.usual[kind];
    unsigned count = 0, value;
    while (*usual + count <= 16 && !bits_take(b, 1))
        count++;
    if (*usual + count > 16) {
        if (!bits_ended(b))
            bits_say(b, LOG_DAMAGED);
        return 0;
    }
    if (count) {
        count += *usual;
        value = bits_take(b, count - 1) | 1u << (count - 1);
        *usual += *usual < BITS_MOST_USUAL;
    } else {
        value = bits_take(b, *usual);
        if (value >> (*usual ? *usual - 1 : 0) == 0 && *usual)
            --*usual;
    }
    return (uint16_t)value;
}

/* ---- steps ---- */

static void bits_interrupt(struct bits *b, struct log_event *e)
{
    static const uint8_t wheres[] = {
        [BITS_AT_CODE] = LOG_IN_CODE, [BITS_AT_LIBRARY] = LOG_IN_LIBRARY, [BITS_AT_INSIDE] = LOG_INSIDE};
    struct bits_model *m = &b->s->model;
    struct predictor *p = &m->predictor;
    uint16_t *is = m->expected[m->context];
    unsigned where = is[FIELD_WHERE] & BITS_AT;
    bits_note_fields(m, is);
    e->kind = where == (EVENT_WOKE & BITS_AT) ? LOG_DAMAGED : LOG_INTERRUPT;
    e->where = wheres[where];
    e->vector = (uint8_t)(is[FIELD_WHERE] >> 2);
    e->count = is[FIELD_COUNT];
    e->address = where == BITS_AT_INSIDE ? 0 : is[FIELD_ADDRESS];
    e->sp = where == BITS_AT_INSIDE ? 0 : is[FIELD_SP];
    if (where == BITS_AT_LIBRARY) {
        e->hash = bits_take(b, 16);
        e->hash |= bits_take(b, 16) << 16;
    }
    predict_history(p, e->vector);
    bits_arrive(m);
}

/* The fields of an interrupt come with the step to it, since its length is one of them. */
static void bits_take_fields(struct bits *b)
{
    struct bits_model *m = &b->s->model;
    uint16_t *is = m->expected[m->context];
    bool same = bits_take(b, 1), brief = !same && bits_take(b, 1);
    for (unsigned i = brief ? FIELD_COUNT : 0; i < FIELDS && !same; i++) {
        if (!bits_has_field((uint8_t)i, is[FIELD_WHERE] & BITS_AT))
            continue;
        uint16_t number = bits_take_number(b, i);
        is[i] = bits_field_differs((uint8_t)i) ? (uint16_t)(is[i] + unfolded(number)) : number;
    }
    b->s->left = (uint8_t)is[FIELD_LENGTH];
}

static void bits_take_step(struct bits *b)
{
    struct bits_state *s = b->s;
    s->done = s->left = s->model.hits = 0;
    if (bits_take(b, 1)) {
        s->step = BITS_UNSURE;
    } else if (bits_take(b, 1)) {
        s->step = BITS_INTERRUPT;
        bits_take_fields(b);
    } else if (bits_take(b, 1)) {
        s->step = BITS_WRONG;
        s->left = (uint8_t)bits_take_number(b, FIELD_LENGTH);
    } else {
        s->step = BITS_OTHER;
        s->other = (uint8_t)bits_take(b, 2);
        if (s->other == BITS_OTHER_NOTHING)
            s->left = BITS_MOST_HITS;
        else if (s->other != BITS_OTHER_ANEW)
            s->left = (uint8_t)bits_take_number(b, FIELD_LENGTH);
    }
}

/* What else a step can end with; false if nothing comes of it. */
static bool bits_other(struct bits *b, struct log_event *e)
{
    struct predictor *p = &b->s->model.predictor;
    switch (b->s->other) {
    case BITS_OTHER_NOTICE:
        e->kind = LOG_NOTICE;
        e->notice = (uint8_t)bits_take(b, 4);
        e->value = (uint16_t)bits_take(b, 16);
        predict_history(p, EVENT_NOTICE);
        if (e->notice != NOTICE_CHECK)
            return true;
        if (!bits_ended(b))
            decoder_checked(b->d, e->value, p->check);
        return false;
    case BITS_OTHER_WRAPPED:
        e->kind = LOG_WRAPPED;
        predict_history(p, EVENT_WRAPPED);
        return true;
    case BITS_OTHER_ANEW:
        if (b->s->bit)
            bits_take(b, 8u - b->s->bit);
        return false;
    default: return false;
    }
}

/* To the next event. */
static void bits_go_on(struct bits *b)
{
    struct bits_state *s = b->s;
    b->d->next.kind = LOG_READ;
    for (;;) {
        struct log_event e = {.kind = LOG_READ, .site = UINT32_MAX};
        if (s->done)
            bits_take_step(b);
        bool is_event = s->left || s->step <= BITS_WRONG;
        if (!is_event) {
            s->done = 1;
            is_event = s->step == BITS_OTHER ? bits_other(b, &e) : (bits_interrupt(b, &e), true);
        }
        if (bits_is_over(b->d) || bits_ended(b))
            return;
        if (is_event) {
            b->d->next = e;
            return;
        }
    }
}

static void decoder_bits_begin(struct decoder *d, const struct log_part *p)
{
    struct bits b = bits_of(d, p);
    b.s->model.predictor.places = BITS_PLACES - 1;
    if (p->size)
        compares_load(&b.s->compares, d, p, p->bytes[d->at++]);
    b.s->done = 1;
    bits_go_on(&b);
}

static void decoder_bits_advance(struct decoder *d, const struct log_part *p)
{
    struct bits b = bits_of(d, p);
    if (!bits_is_over(d))
        bits_go_on(&b);
}

/* ---- reads ---- */

/* What a read was that is not as guessed. */
static uint16_t bits_differs(struct bits *b, uint8_t high, uint16_t known)
{
    struct bits_model *m = &b->s->model;
    uint16_t guess = predict_symbol(known), number;
    if (!site_is_timer(high) && !(high & SITE_WIDE)) {
        uint8_t *literal = &m->literals[m->predictor.position % BITS_POSITIONS];
        if (*literal == (uint8_t)guess || !bits_take(b, 1))
            *literal = (uint8_t)bits_take(b, 8);
        return *literal;
    }
    number = guess + unfolded((uint16_t)(bits_take_number(b, bits_number_of(high)) + 1));
    return high & SITE_WIDE ? number : (uint8_t)number;
}

/* The symbol at a site. False: the log has something else, or ends. */
static bool bits_symbol(struct bits *b, uint16_t site, uint16_t *symbol)
{
    struct bits_state *s = b->s;
    struct predictor *p = &s->model.predictor;
    uint8_t high = (uint8_t)(site >> 8), low = (uint8_t)site;
    uint16_t *place = &p->table[predict_place(p, high, low)], known = *place;
    bool sure = known & SURE, right = sure && (s->left || s->step == BITS_UNSURE);
    predict_position(p, high);
    *symbol = predict_symbol(known);
    if (right) {
        if (!s->left && ++s->model.hits == BITS_MOST_HITS) { /* the recorder would have written a step */
            bits_say(b, LOG_DAMAGED);
            return false;
        }
        s->left -= s->left != 0;
    } else {
        if (s->left || s->step != (sure ? BITS_WRONG : BITS_UNSURE))
            return false;
        if (sure || !bits_take(b, 1))
            *symbol = bits_differs(b, high, known);
        *place = bits_learn(known, *symbol);
        s->done = 1;
    }
    predict_pass(p, high, low, *symbol);
    if (!right)
        bits_arrive(&s->model);
    return right || (!bits_is_over(b->d) && !bits_ended(b));
}

static bool bits_read_site(struct bits *b, unsigned site, bool wide, unsigned *value)
{
    struct predictor *p = &b->s->model.predictor;
    uint16_t found, at = (uint16_t)(site | (wide ? SITE_WIDE << 8 : 0));
    if (!bits_symbol(b, at, &found))
        return false;
    if (site_is_timer((uint8_t)(at >> 8))) {
        uint16_t *last = wide ? &p->wide : &p->narrow;
        found = *last = (uint16_t)(*last + found) & (wide ? 0xffff : 0xff);
    }
    *value = found;
    return true;
}

static bool decoder_bits_read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                              unsigned *value)
{
    struct bits b = bits_of(d, p);
    (void)live;
    return bits_read_site(&b, site, size == 2, value);
}

static bool decoder_bits_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size,
                               uint8_t *bytes)
{
    struct bits b = bits_of(d, p);
    for (unsigned i = 0; i < size; i++) {
        unsigned byte;
        if (i)
            decoder_bits_advance(d, p);
        if (d->next.kind != LOG_READ || !bits_read_site(&b, site, false, &byte))
            return false;
        bytes[i] = (uint8_t)byte;
    }
    return true;
}

/* The CPU sleeps: if the next event is a predicted one, which interrupt wakes it. */
static void decoder_bits_wake(struct decoder *d, const struct log_part *p)
{
    struct bits b = bits_of(d, p);
    uint16_t vector;
    if (d->next.kind == LOG_READ && bits_symbol(&b, BITS_WAKE, &vector))
        d->next = (struct log_event){
            .kind = LOG_INTERRUPT, .where = LOG_ASLEEP, .vector = (uint8_t)vector, .site = UINT32_MAX};
}

static void decoder_bits_expect(struct decoder *d, const uint8_t *data, size_t size)
{
    struct bits_state *s = (struct bits_state *)d->model;
    compares_expect(&s->compares, &s->model.predictor, d->next.vector, data, size);
}

const struct decoder_codec decoder_bits = {decoder_bits_begin, decoder_bits_advance, decoder_bits_read,
                                           decoder_bits_block, decoder_bits_wake,    decoder_bits_expect};
