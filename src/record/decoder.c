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

/* ---- the plain codec: events as they were in the recorder's ring ---- */

static bool is_wide(const uint8_t *at)
{
    return at[0] & 0x80;
}

static unsigned plain_site(const uint8_t *at)
{
    return (unsigned)(at[0] & 0x7f) << 8 | at[1];
}

/* Bytes of the event there; 0 if it is no event, more than `left` if it is cut off. */
static size_t plain_size(const uint8_t *at, size_t left)
{
    static const uint8_t sizes[] = {[EVENT_MARK - EVENT_LEAST] = 4,    [EVENT_WRAPPED - EVENT_LEAST] = 1,
                                    [EVENT_INSIDE - EVENT_LEAST] = 4,  [EVENT_WOKE - EVENT_LEAST] = 2,
                                    [EVENT_LIBRARY - EVENT_LEAST] = 8, [EVENT_INTERRUPT - EVENT_LEAST] = 6,
                                    [EVENT_BLOCK - EVENT_LEAST] = 5};
    if (at[0] < EVENT_LEAST)
        return is_wide(at) ? 6 : 4;
    size_t size = sizes[at[0] - EVENT_LEAST];
    return at[0] == EVENT_BLOCK && left >= 5 ? size + word(at + 3) : size;
}

static void plain_interrupt(const uint8_t *at, struct log_event *e)
{
    e->kind = LOG_INTERRUPT;
    e->vector = at[1];
    switch (at[0]) {
    case EVENT_WOKE: e->where = LOG_ASLEEP; break;
    case EVENT_INSIDE:
        e->where = LOG_INSIDE;
        e->count = (uint16_t)word(at + 2);
        break;
    default:
        e->where = at[0] == EVENT_LIBRARY ? LOG_IN_LIBRARY : LOG_IN_CODE;
        e->address = (uint16_t)word(at + 2);
        e->count = (uint16_t)word(at + 4);
        e->hash = at[0] == EVENT_LIBRARY ? (uint16_t)word(at + 6) : 0;
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
        return;
    }
    if (at[0] < EVENT_LEAST || at[0] == EVENT_BLOCK) {
        e->kind = LOG_READ;
        e->site = at[0] == EVENT_BLOCK ? word(at + 1) : plain_site(at);
    } else if (at[0] == EVENT_WRAPPED) {
        e->kind = LOG_WRAPPED;
    } else if (at[0] == EVENT_MARK) {
        e->kind = LOG_MARK;
        e->mark = at[1];
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
    if (d->next.kind != LOG_READ || at[0] >= EVENT_LEAST || d->next.site != site || is_wide(at) != (size == 2))
        return false;
    unsigned bits = size == 2 ? word(at + 2) : at[2];
    *value = size == 2 ? word(at + 4) : at[3];
    if (bits != live)
        return false;
    d->events++;
    plain_advance(d, p);
    return true;
}

bool decoder_block(struct decoder *d, const struct log_part *p, unsigned site, unsigned size, uint8_t *bytes)
{
    const uint8_t *at = p->bytes + d->at;
    if (d->next.kind != LOG_READ || at[0] != EVENT_BLOCK || d->next.site != site || word(at + 3) != size)
        return false;
    memcpy(bytes, at + 5, size);
    d->events++;
    plain_advance(d, p);
    return true;
}
