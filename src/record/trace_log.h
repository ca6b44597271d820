/* Logs of traces: the bytes of motet_trace_log, which a firmware that was built with motet cc --trace-level has in RAM
 * (target/trace/tracer.c), as events in order.
 *
 * Changes of the table are noted as differences, and its state at the end is known: so its state is known at every
 * event, also where older ones are lost. Invariant: for any bytes, reading ends with events or an error.
 */
#ifndef RECORD_TRACE_LOG_H
#define RECORD_TRACE_LOG_H

#include <stdint.h>

#include "base/error.h"
#include "record/trace_plan.h"

enum trace_event_kind {
    TRACE_ENTERED = 1, /* a function, from outside; values of its arguments follow */
    TRACE_BACK,        /* a skipped function returns to one inside; its result comes before */
    TRACE_VALUE,
    TRACE_INTERRUPT, /* a handler comes while inside, after `count` references */
    TRACE_CHANGED,   /* bytes of the table */
    TRACE_END,       /* an invariant is violated */
    TRACE_CALLED,    /* a function, from inside */
    TRACE_LEFT,
    TRACE_SETTLED, /* handlers have changed the table, before the next counted reference */
};

struct trace_event {
    enum trace_event_kind kind;
    unsigned number;    /* of the function, or of the invariant */
    unsigned count;     /* references; bytes of a value; bytes of the table */
    const uint8_t *at;  /* a value's bytes */
    unsigned positions; /* of changes: the first in `changes` */
};

struct trace_change {
    unsigned position; /* in the table */
    uint8_t is;        /* the byte's new value */
};

struct trace_log {
    struct trace_plan plan;
    struct trace_event *events;
    size_t event_count, event_room;
    struct trace_change *changes;
    size_t change_count, change_room;
    uint8_t *bytes; /* the ring, from its oldest record on */
    uint8_t *state; /* of the table, before the first event */
    unsigned table; /* its bytes */
    bool lost;      /* there were older events */
    unsigned used;  /* bytes of the ring */
};

/* `section` is the firmware's .motet.trace. */
bool trace_log_read(struct trace_log *t, const uint8_t *section, size_t section_size, const uint8_t *bytes, size_t size,
                    struct motet_error *e);
void trace_log_free(struct trace_log *t);

/* From a file, with the section of the firmware that wrote it. */
struct image;
bool trace_log_load(struct trace_log *t, const struct image *firmware, const char *path, struct motet_error *e);

#endif
