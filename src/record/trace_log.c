#include "record/trace_log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"

/* As target/trace/tracer.c has it. */
enum { HEAD = 10, LEFT = 128 };

static bool trace_log_plan(struct trace_log *t, const uint8_t *section, size_t size, struct motet_error *e)
{
    for (size_t at = 0; at < size; at += strlen((const char *)section + at) + 1)
        if (!memchr(section + at, 0, size - at) || !trace_plan_add(&t->plan, (const char *)section + at))
            return error_set(e,
                             "the firmware's plan of traced functions is damaged, or of another version of motet cc");
    for (size_t i = 0; i < t->plan.cell_count; i++)
        t->table += t->plan.cells[i].size;
    if (t->plan.measures)
        return error_set(
            e, "the firmware was built to measure its size (motet slice --measure): its trace has no meaning");
    return t->plan.ring || error_set(e, "the firmware's plan of traced functions is damaged");
}

static struct trace_event *trace_log_add(struct trace_log *t, enum trace_event_kind kind, unsigned number)
{
    t->events = memory_grow(t->events, &t->event_room, t->event_count, sizeof *t->events);
    t->events[t->event_count] = (struct trace_event){.kind = kind, .number = number};
    return &t->events[t->event_count++];
}

/* Differences of the table, each after so many bytes without one; *position is where they go on. */
static bool trace_log_changes(struct trace_log *t, const uint8_t *at, unsigned size, unsigned *position)
{
    struct trace_event *event = trace_log_add(t, TRACE_CHANGED, 0);
    event->positions = (unsigned)t->change_count;
    event->count = size / 2;
    for (unsigned i = 0; i + 1 < size; i += 2) {
        *position += at[i];
        t->changes = memory_grow(t->changes, &t->change_room, t->change_count, sizeof *t->changes);
        t->changes[t->change_count++] = (struct trace_change){(*position)++, at[i + 1]};
        if (*position > t->table)
            return false;
    }
    return size % 2 == 0;
}

static bool trace_log_record(struct trace_log *t, const uint8_t *at, unsigned size, unsigned *position)
{
    struct trace_event *event;
    switch (at[0]) {
    case TRACE_ENTERED:
    case TRACE_BACK:
    case TRACE_END:
        *position = 0;
        trace_log_add(t, at[0], size > 1 ? at[1] : 0);
        return size == 2;
    case TRACE_VALUE:
        event = trace_log_add(t, TRACE_VALUE, 0);
        event->at = at + 1;
        event->count = size - 1;
        return true;
    case TRACE_INTERRUPT:
    case TRACE_SETTLED:
        *position = 0;
        event = trace_log_add(t, at[0], size > 1 ? at[1] : 0);
        event->count = size == 4 ? at[2] | (unsigned)at[3] << 8 : 0;
        return size == 4;
    case TRACE_CHANGED: return (t->lost && !t->event_count) || trace_log_changes(t, at + 1, size - 1, position);
    default: return false;
    }
}

static bool trace_log_records(struct trace_log *t)
{
    unsigned position = 0;
    for (unsigned at = 0, size; at < t->used; at += size) {
        size = t->bytes[at] ? 1 : at + 1 < t->used ? t->bytes[at + 1] + 2u : 0;
        if (size == 0 || size == 2 || size > t->used - at ||
            (size > 2 && !trace_log_record(t, t->bytes + at + 2, size - 2, &position)))
            return false;
        if (size == 1)
            trace_log_add(t, t->bytes[at] & LEFT ? TRACE_LEFT : TRACE_CALLED, t->bytes[at] % LEFT);
    }
    return true;
}

/* From differences and the last state to the first state and values. */
static void trace_log_resolve(struct trace_log *t)
{
    for (size_t i = t->change_count; i-- > 0;)
        t->state[t->changes[i].position] ^= t->changes[i].is;
    uint8_t *now = memory_bytes(t->table + 1);
    memcpy(now, t->state, t->table);
    for (size_t i = 0; i < t->change_count; i++)
        t->changes[i].is = now[t->changes[i].position] ^= t->changes[i].is;
    free(now);
}

bool trace_log_read(struct trace_log *t, const uint8_t *section, size_t section_size, const uint8_t *bytes, size_t size,
                    struct motet_error *e)
{
    *t = (struct trace_log){0};
    if (!trace_log_plan(t, section, section_size, e))
        return false;
    unsigned ring = t->plan.ring;
    if (size < HEAD + ring + t->table || size > HEAD + ring + t->table + 2)
        return error_set(e, "these are not the bytes of motet_trace_log: there are %zu, it has %u", size,
                         HEAD + ring + t->table + 1);
    unsigned first = bytes[2] | (unsigned)bytes[3] << 8;
    t->used = bytes[4] | (unsigned)bytes[5] << 8;
    t->lost = bytes[8];
    if (first >= ring || t->used > ring || bytes[8] > 1)
        return error_set(e, "these are not the bytes of motet_trace_log: its ring cannot be so");
    t->bytes = memory_bytes(ring + 1);
    for (unsigned i = 0; i < t->used; i++)
        t->bytes[i] = bytes[HEAD + (first + i) % ring];
    t->state = memory_bytes(t->table + 1);
    memcpy(t->state, bytes + HEAD + ring, t->table);
    if (!trace_log_records(t))
        return error_set(e, "these are not the bytes of motet_trace_log: event %zu is none", t->event_count);
    trace_log_resolve(t);
    return true;
}

bool trace_log_load(struct trace_log *t, const struct image *firmware, const char *path, struct motet_error *e)
{
    enum { MOST = 1 << 16 };
    size_t section_size = 0;
    const uint8_t *section = image_section(firmware, ".motet.trace", 0, &section_size);
    *t = (struct trace_log){0};
    if (!section)
        return error_set(e, "%s was not built with motet cc --trace-level or --trace", image_path(firmware));
    FILE *f = fopen(path, "rb");
    if (!f)
        return error_set(e, "cannot read %s: %s", path, strerror(errno));
    uint8_t *bytes = memory_bytes(MOST);
    size_t size = fread(bytes, 1, MOST, f);
    fclose(f);
    bool good = trace_log_read(t, section, section_size, bytes, size, e);
    free(bytes);
    return good;
}

void trace_log_free(struct trace_log *t)
{
    trace_plan_free(&t->plan);
    free(t->events);
    free(t->changes);
    free(t->bytes);
    free(t->state);
    *t = (struct trace_log){0};
}
