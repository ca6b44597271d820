#include "record/decoder.h"

#include <string.h>

/* As in target/recorder/recorder.h. */
enum {
    EVENT_MARK = 0xf9,
    EVENT_BLOCK,
    EVENT_WRAPPED,
    EVENT_INSIDE,
    EVENT_WOKE,
    EVENT_LIBRARY,
    EVENT_INTERRUPT,
    EVENT_LEAST = 0xf8
};

static unsigned word(const uint8_t *at)
{
    return at[0] | (unsigned)at[1] << 8;
}

/* ---- the plain codec: events as they were in the recorder's ring, units of two words ---- */

enum { UNIT = 4 };

static bool is_read(const uint8_t *at)
{
    return at[1] < EVENT_LEAST;
}

static bool is_wide(const uint8_t *at)
{
    return at[1] & 0x80;
}

static unsigned plain_site(const uint8_t *at)
{
    return word(at) & 0x7fff;
}

/* Bytes of the event there; 0 if it is no event, more than `left` if it is cut off. */
static size_t plain_size(const uint8_t *at, size_t left)
{
    if (left < UNIT)
        return UNIT;
    switch (at[1]) {
    case EVENT_LEAST: return 0;
    case EVENT_BLOCK: return left < 2 * UNIT ? 2 * UNIT : 2 * UNIT + ((word(at + 4) + 3) & ~3u);
    case EVENT_LIBRARY:
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
        e->count = (uint16_t)word(at + 2);
        break;
    default:
        e->where = at[1] == EVENT_LIBRARY ? LOG_IN_LIBRARY : LOG_IN_CODE;
        e->address = (uint16_t)word(at + 2);
        e->count = (uint16_t)word(at + 4);
        e->hash = (uint16_t)word(at + 6);
    }
}

static void plain_look(struct decoder *d, const struct log_part *p)
{
    const uint8_t *at = p->bytes + d->at;
    size_t left = p->size - d->at, size = left ? plain_size(at, left) : 0;
    struct log_event *e = &d->next;
    *e = (struct log_event){.kind = left ? LOG_DAMAGED : LOG_END, .site = UINT32_MAX};
    if (size == 0)
        return;
    if (size > left) {
        e->kind = LOG_END;
    } else if (is_read(at) || at[1] == EVENT_BLOCK) {
        e->kind = LOG_READ;
        e->site = is_read(at) ? plain_site(at) : word(at + 2);
    } else if (at[1] == EVENT_WRAPPED) {
        e->kind = LOG_WRAPPED;
    } else if (at[1] == EVENT_MARK) {
        e->kind = LOG_MARK;
        e->mark = at[0];
        e->value = (uint16_t)word(at + 2);
    } else {
        plain_interrupt(at, e);
    }
}

static void plain_advance(struct decoder *d, const struct log_part *p)
{
    d->at += (uint32_t)plain_size(p->bytes + d->at, p->size - d->at);
    plain_look(d, p);
}

/* ---- any codec ---- */

void decoder_begin(struct decoder *d, const struct log_part *p)
{
    memset(d, 0, sizeof *d);
    plain_look(d, p);
}

void decoder_take(struct decoder *d, const struct log_part *p)
{
    if (d->next.kind == LOG_END || d->next.kind == LOG_DAMAGED || d->next.kind == LOG_READ)
        return;
    d->events++;
    d->interrupts += d->next.kind == LOG_INTERRUPT;
    plain_advance(d, p);
}

bool decoder_read(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, unsigned live,
                  unsigned *value)
{
    const uint8_t *at = p->bytes + d->at;
    if (d->next.kind != LOG_READ || !is_read(at) || d->next.site != site || is_wide(at) != (size == 2))
        return false;
    *value = word(at + 2);
    if (*value & ~live)
        return false;
    d->events++;
    plain_advance(d, p);
    return true;
}

bool decoder_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes)
{
    const uint8_t *at = p->bytes + d->at;
    if (d->next.kind != LOG_READ || is_read(at) || d->next.site != site || word(at + 4) != size)
        return false;
    memcpy(bytes, at + 2 * UNIT, size);
    d->events++;
    plain_advance(d, p);
    return true;
}
