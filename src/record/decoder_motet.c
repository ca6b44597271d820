#include <stddef.h>
#include <stdint.h>

#define MOTET_UNIT /* what the recorder's files share is static */
#define CODEC_DECODES
#include "../../target/recorder/codec_motet.h"
#include "../../target/recorder/event.h"
#include "record/decoder_codec.h"
#include "record/decoder_compares.h"

struct state {
    struct predictor predictor;
    struct model model;
    uint16_t range, code;
    uint8_t step; /* under way */
    uint8_t left; /* reads that were certain, before it ends */
    uint8_t over; /* such reads that it went over, where it does not say how many: fewer than MOST_HITS */
    uint8_t done; /* it has ended */
    struct compares compares;
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

/* After the end there are zeros; `at` shows that it has gone too far. */
static uint16_t decoder_motet_next_byte(struct coder *c)
{
    uint32_t at = c->d->at++;
    return at < c->p->size ? c->p->bytes[at] : 0;
}

static void decoder_motet_fill(struct coder *c)
{
    c->s->range = 0xffff;
    c->s->code = (uint16_t)(decoder_motet_next_byte(c) << 8);
    c->s->code |= decoder_motet_next_byte(c);
}

static void normalize(struct coder *c)
{
    while (c->s->range < 0x100) {
        c->s->range = (uint16_t)(c->s->range << 8);
        c->s->code = (uint16_t)(c->s->code << 8) | decoder_motet_next_byte(c);
    }
}

static uint8_t code(struct coder *c, uint8_t *probability, uint8_t bit)
{
    struct state *s = c->s;
    unsigned p = *probability, bound = (unsigned)s->range * p >> 8;
    bit = s->code < bound;
    if (bit) {
        s->range = (uint16_t)bound;
        *probability = (uint8_t)(p + ((256 - p + 8) >> 4));
    } else {
        s->code = (uint16_t)(s->code - bound);
        s->range = (uint16_t)(s->range - bound);
        *probability = (uint8_t)(p - ((p + 8) >> 4));
    }
    normalize(c);
    return bit;
}

static uint16_t code_raw(struct coder *c, uint8_t bits, uint16_t value, uint16_t result)
{
    struct state *s = c->s;
    (void)value;
    for (; bits; bits--) {
        s->range = (uint16_t)(s->range >> 1);
        bool one = s->code >= s->range;
        if (one)
            s->code = (uint16_t)(s->code - s->range);
        result = (uint16_t)(result << 1 | one);
        normalize(c);
    }
    return result;
}

#include "../../target/recorder/codec_model.c" /* NOLINT(bugprone-suspicious-include): the node's code as it is */

/* ---- steps ---- */

static bool ended(struct coder *c)
{
    if (c->d->at <= c->p->size)
        return false;
    c->d->next = (struct log_event){.kind = LOG_END, .site = UINT32_MAX};
    return true;
}

/* False if other events were recorded than executed. */
static bool decoder_motet_check(struct coder *c)
{
    if (model_check(c, &c->s->model, (uint8_t)c->s->predictor.check) || c->d->at > c->p->size)
        return true;
    c->d->next = (struct log_event){.kind = LOG_DAMAGED, .site = UINT32_MAX};
    return false;
}

static bool decoder_motet_interrupt(struct coder *c, struct log_event *e)
{
    static const uint8_t wheres[] = {[AT_CODE] = LOG_IN_CODE, [AT_LIBRARY] = LOG_IN_LIBRARY, [AT_INSIDE] = LOG_INSIDE};
    struct interrupt i = {0};
    model_interrupt(c, &c->s->model, &c->s->predictor, &i);
    e->kind = LOG_INTERRUPT;
    e->where = wheres[i.at];
    e->vector = i.vector;
    e->count = i.count;
    e->address = i.address;
    e->sp = i.sp;
    e->hash = i.hash[0] | (uint32_t)i.hash[1] << 16;
    predict_note(&c->s->predictor, &i);
    return decoder_motet_check(c);
}

/* What else a step can end with; false if nothing comes of it. */
static bool other(struct coder *c, struct log_event *e)
{
    switch (model_other(c, &c->s->model, 0)) {
    case OTHER_ANEW: decoder_motet_fill(c); return false;
    case OTHER_NOTICE:
        e->kind = LOG_NOTICE;
        e->notice = (uint8_t)code_raw(c, 4, 0, 0);
        e->value = code_raw(c, 16, 0, 0);
        predict_history(&c->s->predictor, EVENT_NOTICE);
        if (e->notice == NOTICE_CHECK) {
            if (c->d->at <= c->p->size && decoder_checked(c->d, e->value, c->s->predictor.check))
                decoder_motet_check(c);
            return false;
        }
        break;
    case OTHER_WRAPPED:
        e->kind = LOG_WRAPPED;
        predict_history(&c->s->predictor, EVENT_WRAPPED);
        break;
    default: decoder_motet_check(c); return false;
    }
    return decoder_motet_check(c);
}

static bool is_over(const struct decoder *d)
{
    return d->next.kind == LOG_DAMAGED || d->next.kind == LOG_CHANGED;
}

/* To the next event. */
static void decoder_motet_go_on(struct coder *c)
{
    struct state *s = c->s;
    c->d->next.kind = LOG_READ;
    for (;;) {
        struct log_event e = {.kind = LOG_READ, .site = UINT32_MAX};
        if (s->done) {
            s->step = model_step(c, &s->model, 0, 0, 0);
            s->left = s->step == STEP_UNSURE ? 0 : s->model.length;
            s->done = s->over = 0;
        }
        if (s->left || s->step <= STEP_WRONG) {
            if (!ended(c))
                c->d->next = e;
            return;
        }
        s->done = 1;
        if (s->step == STEP_INTERRUPT ? decoder_motet_interrupt(c, &e) : other(c, &e)) {
            if (!ended(c))
                c->d->next = e;
            return;
        }
        if (is_over(c->d) || ended(c))
            return;
    }
}

static void decoder_motet_load_compares(struct coder *c)
{
    unsigned first = decoder_motet_next_byte(c), count = first & ~(unsigned)(COMPARES_STAMPED | COMPARES_FEW);
    c->s->predictor.places = first & COMPARES_FEW ? 127 : 255;
    c->s->model.stamped = (first & COMPARES_STAMPED) != 0;
    compares_load(&c->s->compares, c->d, c->p, count);
}

static void decoder_motet_begin(struct decoder *d, const struct log_part *p)
{
    struct coder c = coder_of(d, p);
    model_begin(&c.s->model, &c.s->predictor);
    decoder_motet_load_compares(&c);
    decoder_motet_fill(&c);
    c.s->done = 1;
    decoder_motet_go_on(&c);
}

static void decoder_motet_advance(struct decoder *d, const struct log_part *p)
{
    struct coder c = coder_of(d, p);
    if (!is_over(d))
        decoder_motet_go_on(&c);
}

/* ---- reads ---- */

/* The symbol at a site. False: the log has something else, or ends. */
static bool symbol(struct coder *c, uint16_t site, uint16_t *symbol)
{
    struct state *s = c->s;
    uint8_t high = (uint8_t)(site >> 8), place = predict_place(&s->predictor, high, (uint8_t)site);
    uint16_t known = s->predictor.table[place];
    predict_position(&s->predictor, high);
    bool sure = known & SURE, right = sure && (s->left || s->step == STEP_UNSURE);
    *symbol = predict_symbol(known);
    if (right) {
        if (!s->left && ++s->over == MOST_HITS) { /* the recorder would have written a step */
            c->d->next = (struct log_event){.kind = LOG_DAMAGED, .site = UINT32_MAX};
            return false;
        }
        s->left -= s->left != 0;
    } else {
        if (s->left || s->step != (sure ? STEP_WRONG : STEP_UNSURE))
            return false;
        if (!sure)
            s->model.before = step_to(high);
        *symbol = model_read(c, &s->model, &s->predictor, site, place, 0);
        s->done = 1;
    }
    predict_pass(&s->predictor, high, (uint8_t)site, *symbol);
    if (!right)
        model_arrive(&s->model, &s->predictor);
    return right || ((!sure || decoder_motet_check(c)) && !ended(c));
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

static bool decoder_motet_read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                               unsigned *value)
{
    struct coder c = coder_of(d, p);
    (void)live;
    return read_site(&c, site, size == 2, value);
}

static bool decoder_motet_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size,
                                uint8_t *bytes)
{
    struct coder c = coder_of(d, p);
    for (unsigned i = 0; i < size; i++) {
        unsigned byte;
        if (i)
            decoder_motet_advance(d, p);
        if (d->next.kind != LOG_READ || !read_site(&c, site, false, &byte))
            return false;
        bytes[i] = (uint8_t)byte;
    }
    return true;
}

/* The CPU sleeps: if the next event is a predicted one, which interrupt wakes it. */
static void decoder_motet_wake(struct decoder *d, const struct log_part *p)
{
    struct coder c = coder_of(d, p);
    uint16_t vector;
    if (d->next.kind == LOG_READ && symbol(&c, SITE_WAKE, &vector))
        d->next = (struct log_event){
            .kind = LOG_INTERRUPT, .where = LOG_ASLEEP, .vector = (uint8_t)vector, .site = UINT32_MAX};
}

static void decoder_motet_expect(struct decoder *d, const uint8_t *data, size_t size)
{
    struct state *s = (struct state *)d->model;
    compares_expect(&s->compares, &s->predictor, d->next.vector, data, size);
}

const struct decoder_codec decoder_motet = {decoder_motet_begin, decoder_motet_advance, decoder_motet_read,
                                            decoder_motet_block, decoder_motet_wake,    decoder_motet_expect};
