#include <stddef.h>
#include <stdint.h>

#include "../../target/recorder/codec_motet.h"
#include "record/decoder_codec.h"

/* As in target/recorder/recorder.h: what the history of events is made of. */
enum { EVENT_MARK = 0xf9, EVENT_WRAPPED = 0xfb };

struct state {
    struct predictor predictor;
    struct model model;
    uint16_t range, code;
    uint8_t step; /* under way */
    uint8_t left; /* reads that were certain, before it ends */
    uint8_t done; /* it has ended */
};
_Static_assert(sizeof(struct state) <= DECODER_MODEL, "the state has its place in the decoder");

struct coder {
    struct decoder *d;
    const struct log_part *p;
    struct state *s;
};

static struct coder coder_of(struct decoder *d, const struct log_part *p)
{
    return (struct coder){d, p, (struct state *)d->model};
}

/* ---- decisions ---- */

/* Behind the end there are zeros; who asks for them finds that `at` has gone too far. */
static uint16_t next_byte(struct coder *c)
{
    uint32_t at = c->d->at++;
    return at < c->p->size ? c->p->bytes[at] : 0;
}

static void fill(struct coder *c)
{
    c->s->range = 0xffff;
    c->s->code = (uint16_t)(next_byte(c) << 8);
    c->s->code |= next_byte(c);
}

static void normalize(struct coder *c)
{
    while (c->s->range < 0x100) {
        c->s->range = (uint16_t)(c->s->range << 8);
        c->s->code = (uint16_t)(c->s->code << 8) | next_byte(c);
    }
}

static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    struct state *s = c->s;
    unsigned p = *probability, bound = (unsigned)s->range * p >> 8;
    bit = s->code < bound;
    if (bit) {
        s->range = (uint16_t)bound;
        *probability = (uint8_t)(p + ((256 - p) >> 4));
    } else {
        s->code = (uint16_t)(s->code - bound);
        s->range = (uint16_t)(s->range - bound);
        *probability = (uint8_t)(p - (p >> 4));
    }
    normalize(c);
    return bit;
}

static uint8_t code_raw(struct coder *c, uint8_t bits, uint8_t value)
{
    struct state *s = c->s;
    s->range = (uint16_t)(s->range >> bits);
    unsigned all = (1u << bits) - 1, found = s->code / s->range;
    value = (uint8_t)(found > all ? all : found); /* no encoder leads beyond */
    s->code = (uint16_t)(s->code - value * s->range);
    normalize(c);
    return value;
}

/* ---- steps ---- */

static bool ended(struct coder *c)
{
    if (c->d->at <= c->p->size)
        return false;
    c->d->next = (struct log_event){.kind = LOG_END, .site = UINT32_MAX};
    return true;
}

/* False if other events were recorded than executed. */
static bool check(struct coder *c)
{
    if (model_check(c, &c->s->model, c->s->predictor.check) || c->d->at > c->p->size)
        return true;
    c->d->next = (struct log_event){.kind = LOG_DAMAGED, .site = UINT32_MAX};
    return false;
}

static bool interrupt(struct coder *c, struct log_event *e)
{
    static const uint8_t wheres[4] = {LOG_IN_CODE, LOG_IN_LIBRARY, LOG_INSIDE, LOG_INSIDE};
    struct model *m = &c->s->model;
    uint8_t at = model_tree(c, m->where, 2, 0);
    e->kind = LOG_INTERRUPT;
    e->where = wheres[at];
    e->vector = model_vector(c, m, m->vector[1], 0);
    e->count = model_number(c, m->count, 0);
    if (at == AT_LIBRARY) {
        e->hash = model_raw(c, 16, 0);
        e->hash |= (uint32_t)model_raw(c, 16, 0) << 16;
    }
    if (at == AT_CODE || at == AT_LIBRARY)
        model_place(c, m, &e->address, &e->sp);
    predict_history(&c->s->predictor, e->vector);
    return check(c);
}

/* What else a step can end with; false if nothing comes of it. */
static bool other(struct coder *c, struct log_event *e)
{
    switch (model_tree(c, c->s->model.other, 2, 0)) {
    case OTHER_ANEW: fill(c); return false;
    case OTHER_MARK:
        e->kind = LOG_MARK;
        e->mark = (uint8_t)model_raw(c, 4, 0);
        e->value = model_raw(c, 16, 0);
        predict_history(&c->s->predictor, EVENT_MARK);
        break;
    case OTHER_WRAPPED:
        e->kind = LOG_WRAPPED;
        predict_history(&c->s->predictor, EVENT_WRAPPED);
        break;
    default: check(c); return false;
    }
    return check(c);
}

/* To the next event. */
static void go_on(struct coder *c)
{
    struct state *s = c->s;
    c->d->next.kind = LOG_READ;
    for (;;) {
        struct log_event e = {.kind = LOG_READ, .site = UINT32_MAX};
        if (s->done) {
            s->step = model_step(c, &s->model, 0);
            s->left = s->step == STEP_UNSURE ? 0 : model_length(c, &s->model, 0);
            s->done = 0;
        }
        if (s->left || s->step <= STEP_WRONG) {
            if (!ended(c))
                c->d->next = e;
            return;
        }
        s->done = 1;
        if (s->step == STEP_INTERRUPT ? interrupt(c, &e) : other(c, &e)) {
            if (!ended(c))
                c->d->next = e;
            return;
        }
        if (c->d->next.kind == LOG_DAMAGED || ended(c))
            return;
    }
}

static void begin(struct decoder *d, const struct log_part *p)
{
    struct coder c = coder_of(d, p);
    model_begin(&c.s->model, &c.s->predictor);
    fill(&c);
    c.s->done = 1;
    go_on(&c);
}

static void advance(struct decoder *d, const struct log_part *p)
{
    struct coder c = coder_of(d, p);
    if (d->next.kind != LOG_DAMAGED)
        go_on(&c);
}

/* ---- reads ---- */

/* What was not certain, or is not as was certain. */
static uint16_t unsure(struct coder *c, uint16_t site, uint16_t known)
{
    uint8_t how = read_how(site);
    struct model *m = &c->s->model;
    uint16_t guess = predict_symbol(known, (uint8_t)(site >> 8));
    bool sure = known & SURE;
    c->s->done = 1;
    if (!sure) {
        m->before = how & READ_TIMER ? STEP_TIMER : how & READ_DATA ? STEP_DATA : STEP_STATE;
        if (code(c, &m->right[read_context(how, site, known)], 0))
            return guess;
    }
    uint16_t value = model_wrong(c, m, how, sure, 0);
    if (!read_differs(how))
        return value;
    return how & READ_WIDE ? (uint16_t)(guess + value) : (uint8_t)(guess + value);
}

/* The symbol at a site. False: the log has something else, or ends. */
static bool symbol(struct coder *c, uint16_t site, uint16_t *symbol)
{
    struct state *s = c->s;
    uint8_t high = (uint8_t)(site >> 8), place = predict_place(&s->predictor, high, (uint8_t)site);
    uint16_t known = s->predictor.table[place];
    bool sure = known & SURE, right = sure && (s->left || s->step == STEP_UNSURE);
    *symbol = predict_symbol(known, high);
    if (right) {
        s->left -= s->left != 0;
    } else {
        if (s->left || s->step != (sure ? STEP_WRONG : STEP_UNSURE))
            return false;
        *symbol = unsure(c, site, known);
        predict_learn(&s->predictor, place, high, *symbol);
    }
    predict_pass(&s->predictor, high, (uint8_t)site, *symbol);
    return right || ((!sure || check(c)) && !ended(c));
}

static bool read_site(struct coder *c, unsigned site, bool wide, unsigned *value)
{
    struct predictor *p = &c->s->predictor;
    uint16_t found, at = (uint16_t)(site | (wide ? SITE_WIDE << 8 : 0));
    if (!symbol(c, at, &found))
        return false;
    if (site_is_timer((uint8_t)(at >> 8))) {
        uint16_t *last = wide ? &p->wide : &p->narrow;
        found = *last = (uint16_t)(*last + found) & (wide ? 0xffff : 0xff);
    }
    *value = found;
    return true;
}

static bool read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                 unsigned *value)
{
    struct coder c = coder_of(d, p);
    (void)live;
    return read_site(&c, site, size == 2, value);
}

static bool block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes)
{
    struct coder c = coder_of(d, p);
    for (unsigned i = 0; i < size; i++) {
        unsigned byte;
        if (i)
            advance(d, p);
        if (d->next.kind != LOG_READ || !read_site(&c, site, false, &byte))
            return false;
        bytes[i] = (uint8_t)byte;
    }
    return true;
}

/* The CPU sleeps: if the next event is of those that are told by a guess, which interrupt wakes it. */
static void wake(struct decoder *d, const struct log_part *p)
{
    struct coder c = coder_of(d, p);
    uint16_t vector;
    if (d->next.kind == LOG_READ && symbol(&c, SITE_WAKE, &vector))
        d->next = (struct log_event){
            .kind = LOG_INTERRUPT, .where = LOG_ASLEEP, .vector = (uint8_t)vector, .site = UINT32_MAX};
}

const struct decoder_codec decoder_motet = {begin, advance, read, block, wake, NULL};
