#include "record/decoder.h"

#include <string.h>

#include "../../target/recorder/event.h"
#include "record/decoder_codec.h"

static unsigned decoder_word(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

/* ---- the plain codec: events as they were in the recorder's ring, units of two words ---- */

struct plain_state {
    uint16_t check; /* of the units taken (event.h) */
};

static struct plain_state *plain_state_of(struct decoder *d)
{
    return (struct plain_state *)d->model;
}

static bool decoder_is_read(const uint8_t *at)
{
    return at[1] < EVENT_AGAIN;
}

static bool is_wide(const uint8_t *at)
{
    return at[1] & 0x80;
}

static unsigned plain_site(const uint8_t *at)
{
    return decoder_word(at) & 0x7fff;
}

/* Bytes of the event there; 0 if it is no event, more than `left` if it is cut off. */
static size_t plain_size(const uint8_t *at, size_t left)
{
    if (left < UNIT)
        return UNIT;
    switch (at[1]) {
    case EVENT_BLOCK: return left < 2 * UNIT ? 2 * UNIT : 2 * UNIT + ((decoder_word(at + 4) + 3) & ~3u);
    case EVENT_LIBRARY: return 3 * UNIT;
    case EVENT_INTERRUPT: return 2 * UNIT;
    default: return UNIT;
    }
}

static void plain_interrupt(const uint8_t *at, struct log_event *e)
{
    e->kind = LOG_INTERRUPT;
    e->vector = at[0];
    switch (at[1]) {
    case EVENT_WOKE: e->where = LOG_ASLEEP; break;
    case EVENT_INSIDE:
        e->where = LOG_INSIDE;
        e->count = (uint16_t)decoder_word(at + 2);
        break;
    case EVENT_BRIEF:
        e->where = LOG_IN_CODE;
        e->address = (uint16_t)decoder_word(at + 2);
        break;
    default:
        e->where = at[1] == EVENT_LIBRARY ? LOG_IN_LIBRARY : LOG_IN_CODE;
        e->address = (uint16_t)decoder_word(at + 2);
        e->count = (uint16_t)decoder_word(at + 4);
        e->hash = e->where == LOG_IN_LIBRARY ? decoder_word(at + 6) | (uint32_t)decoder_word(at + 8) << 16 : 0;
        e->sp = (uint16_t)decoder_word(at + (e->where == LOG_IN_LIBRARY ? 10 : 6));
    }
}

static void plain_look_at(struct decoder *d, const struct log_part *p)
{
    const uint8_t *at = p->bytes + d->at;
    size_t left = p->size - d->at, size = left ? plain_size(at, left) : 0;
    struct log_event *e = &d->next;
    *e = (struct log_event){.kind = left ? LOG_DAMAGED : LOG_END, .site = UINT32_MAX};
    if (size == 0)
        return;
    if (size > left) {
        e->kind = LOG_END;
    } else if (decoder_is_read(at) || at[1] == EVENT_BLOCK) {
        e->kind = LOG_READ;
        e->site = decoder_is_read(at) ? plain_site(at) : decoder_word(at + 2);
    } else if (at[1] == EVENT_WRAPPED) {
        e->kind = LOG_WRAPPED;
    } else if (at[1] == EVENT_NOTICE) {
        e->kind = LOG_NOTICE;
        e->notice = at[0];
        e->value = (uint16_t)decoder_word(at + 2);
    } else {
        plain_interrupt(at, e);
    }
}

static void plain_look(struct decoder *d, const struct log_part *p)
{
    for (;;) {
        plain_look_at(d, p);
        if (d->next.kind != LOG_NOTICE || d->next.notice != NOTICE_CHECK ||
            !decoder_checked(d, d->next.value, plain_state_of(d)->check))
            return;
        d->at += UNIT;
    }
}

static void plain_advance(struct decoder *d, const struct log_part *p)
{
    size_t size = plain_size(p->bytes + d->at, p->size - d->at);
    uint16_t *check = &plain_state_of(d)->check;
    for (const uint8_t *at = p->bytes + d->at, *end = at + size; at < end; at += 2)
        *check = event_note(*check, (uint16_t)decoder_word(at));
    d->at += (uint32_t)size;
    plain_look(d, p);
}

static bool decoder_plain_read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                               unsigned *value)
{
    (void)live;
    const uint8_t *at = p->bytes + d->at;
    if (!decoder_is_read(at) || d->next.site != site || is_wide(at) != (size == 2))
        return false;
    *value = decoder_word(at + 2);
    return true;
}

static bool plain_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes)
{
    const uint8_t *at = p->bytes + d->at;
    if (decoder_is_read(at) || d->next.site != site || decoder_word(at + 4) != size)
        return false;
    memcpy(bytes, at + 2 * UNIT, size);
    return true;
}

static void plain_begin(struct decoder *d, const struct log_part *p)
{
    plain_look(d, p);
}

const struct decoder_codec decoder_plain = {plain_begin, plain_advance, decoder_plain_read, plain_block, NULL, NULL};

/* ---- any codec ---- */

static const struct decoder_codec *const decoder_codecs[LOG_CODECS] = {
    [LOG_PLAIN] = &decoder_plain,
    [LOG_TARDIS] = &decoder_tardis,
    [LOG_MOTET] = &decoder_motet,
    [LOG_BITS] = &decoder_bits,
};

/* Not those of an earlier Motet, nor that of words.h. */
bool decoder_knows(const struct log_part *p)
{
    return p->codec < LOG_CODECS && decoder_codecs[p->codec];
}

static const struct decoder_codec *codec_of(const struct log_part *p)
{
    return decoder_knows(p) ? decoder_codecs[p->codec] : &decoder_plain;
}

void decoder_begin(struct decoder *d, const struct log_part *p)
{
    memset(d, 0, sizeof *d);
    codec_of(p)->begin(d, p);
}

void decoder_take(struct decoder *d, const struct log_part *p)
{
    if (d->next.kind == LOG_END || d->next.kind == LOG_DAMAGED || d->next.kind == LOG_CHANGED ||
        d->next.kind == LOG_READ)
        return;
    d->events++;
    d->interrupts += d->next.kind == LOG_INTERRUPT;
    codec_of(p)->advance(d, p);
}

bool decoder_read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                  unsigned *value)
{
    if (d->next.kind != LOG_READ || !codec_of(p)->read(d, p, site, size, live, value) || (*value & ~live))
        return false;
    d->events++;
    codec_of(p)->advance(d, p);
    return true;
}

bool decoder_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes)
{
    if (d->next.kind != LOG_READ || !codec_of(p)->block(d, p, site, size, bytes))
        return false;
    d->events++;
    codec_of(p)->advance(d, p);
    return true;
}

void decoder_wake(struct decoder *d, const struct log_part *p)
{
    const struct decoder_codec *c = codec_of(p);
    if (c->wake)
        c->wake(d, p);
}

void decoder_expect(struct decoder *d, const struct log_part *p, const uint8_t *data, size_t size)
{
    const struct decoder_codec *c = codec_of(p);
    if (c->expect)
        c->expect(d, data, size);
}
