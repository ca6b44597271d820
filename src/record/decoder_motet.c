#include <stdint.h>

#include "../../target/recorder/codec_motet.h"
#include "record/decoder_codec.h"

_Static_assert(sizeof(struct model) <= DECODER_MODEL, "the model has its place in the decoder");

/* As in target/recorder/recorder.h. */
enum { EVENT_MARK = 0xf9, EVENT_BLOCK, EVENT_WRAPPED, EVENT_INSIDE, EVENT_WOKE, EVENT_LIBRARY, EVENT_INTERRUPT };

struct coder {
    struct decoder *d;
    const struct log_part *p;
};

static struct model *model_of(struct decoder *d)
{
    return (struct model *)d->model;
}

/* ---- decisions ---- */

/* Behind the end there are zeros; who asks for them finds that `at` has gone too far. */
static uint32_t next_byte(struct coder *c)
{
    uint32_t at = c->d->at++;
    return at < c->p->size ? c->p->bytes[at] : 0;
}

static void fill(struct coder *c)
{
    c->d->low = 0;
    c->d->high = UINT32_MAX;
    for (int i = 0; i < 4; i++)
        c->d->code = c->d->code << 8 | next_byte(c);
}

static unsigned get_bit(struct coder *c, uint32_t probability)
{
    struct decoder *d = c->d;
    uint32_t middle = d->low + ((d->high - d->low) >> 16) * probability;
    unsigned bit = d->code <= middle;
    if (bit)
        d->high = middle;
    else
        d->low = middle + 1;
    while (!((d->low ^ d->high) & 0xff000000)) {
        d->low <<= 8;
        d->high = d->high << 8 | 0xff;
        d->code = d->code << 8 | next_byte(c);
    }
    return bit;
}

static unsigned code16(struct coder *c, uint16_t *p, unsigned bit)
{
    bit = get_bit(c, *p);
    *p = (uint16_t)(bit ? *p + ((0xffff - *p) >> 4) : *p - (*p >> 4));
    return bit;
}

static unsigned code8(struct coder *c, uint8_t *p, unsigned bit)
{
    bit = get_bit(c, (uint32_t)*p << 8);
    *p = (uint8_t)(bit ? *p + ((0xff - *p) >> 4) : *p - (*p >> 4));
    return bit;
}

/* ---- events ---- */

static bool ended(struct decoder *d, const struct log_part *p)
{
    if (d->at <= p->size)
        return false;
    d->next = (struct log_event){.kind = LOG_END, .site = UINT32_MAX};
    return true;
}

static void interrupt(struct coder *c, struct model *m, unsigned kind, struct log_event *e)
{
    e->kind = LOG_INTERRUPT;
    e->vector = (uint8_t)model_vector(c, m, 0);
    e->where = kind == EVENT_WOKE      ? LOG_ASLEEP
               : kind == EVENT_INSIDE  ? LOG_INSIDE
               : kind == EVENT_LIBRARY ? LOG_IN_LIBRARY
                                       : LOG_IN_CODE;
    if (kind == EVENT_INTERRUPT || kind == EVENT_LIBRARY)
        e->address = (uint16_t)model_address(c, m, 0);
    if (kind != EVENT_WOKE)
        e->count = (uint16_t)model_number(c, m->length[1], 0);
    if (kind == EVENT_LIBRARY) {
        e->hash = model_raw(c, 16, 0);
        e->hash |= (uint32_t)model_raw(c, 16, 0) << 16;
    }
}

static void other(struct coder *c, struct model *m, unsigned kind, struct log_event *e)
{
    switch (kind) {
    case EVENT_WRAPPED: e->kind = LOG_WRAPPED; break;
    case EVENT_BLOCK:
        e->kind = LOG_READ;
        e->site = model_raw(c, 16, 0);
        c->d->block = 1 + model_raw(c, 16, 0);
        break;
    case EVENT_MARK:
        e->kind = LOG_MARK;
        e->mark = (uint8_t)model_raw(c, 8, 0);
        e->value = (uint16_t)model_raw(c, 16, 0);
        break;
    default: interrupt(c, m, kind, e);
    }
}

static void look(struct decoder *d, const struct log_part *p)
{
    struct coder c = {d, p};
    struct model *m = model_of(d);
    struct log_event e = {.kind = LOG_READ, .site = UINT32_MAX};
    d->block = 0;
    while (code16(&c, &m->other[m->before], 0)) {
        unsigned kind = 0xf8 + model_tree8(&c, m->kind, 3, 0);
        if (ended(d, p))
            return;
        if (kind == 0xf8) { /* the coder began anew */
            fill(&c);
            continue;
        }
        other(&c, m, kind, &e);
        break;
    }
    if (!ended(d, p))
        d->next = e;
}

static void begin(struct decoder *d, const struct log_part *p)
{
    struct coder c = {d, p};
    model_begin(model_of(d));
    fill(&c);
    look(d, p);
}

static void advance(struct decoder *d, const struct log_part *p)
{
    struct coder c = {d, p};
    if (!model_behind(&c, model_of(d)) && d->at <= p->size) {
        d->next = (struct log_event){.kind = LOG_DAMAGED, .site = UINT32_MAX};
        return;
    }
    look(d, p);
}

static bool read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned *value)
{
    struct coder c = {d, p};
    if (d->block)
        return false;
    *value = model_read(&c, model_of(d), site & 0x7fff, size == 2, 0);
    return !ended(d, p);
}

static bool block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes)
{
    struct coder c = {d, p};
    if (d->block != size + 1 || d->next.site != site)
        return false;
    for (unsigned i = 0; i < size; i++) {
        uint8_t byte = (uint8_t)model_byte(&c, model_of(d), 0);
        if (ended(d, p))
            return false;
        bytes[i] = byte;
    }
    return true;
}

const struct decoder_codec decoder_motet = {begin, advance, read, block};
