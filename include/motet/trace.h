/* Traces: what a firmware that was built with motet cc --trace-level has noted in RAM (docs/slices.md). */
#ifndef MOTET_TRACE_H
#define MOTET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/error.h"
#include "motet/machine.h"
#include "motet/native.h"

#include "motet/base/begin.h"

typedef struct motet_trace motet_trace;

enum motet_trace_kind {
    MOTET_TRACE_ENTERED = 1, /* a function, from outside */
    MOTET_TRACE_BACK,        /* a function that a replay skips has returned */
    MOTET_TRACE_VALUE,       /* an argument or a result */
    MOTET_TRACE_INTERRUPT,   /* a handler came while a traced function ran */
    MOTET_TRACE_CHANGED,     /* variables */
    MOTET_TRACE_END,         /* an invariant is violated */
    MOTET_TRACE_CALLED,      /* a function, from a traced one */
    MOTET_TRACE_LEFT,
    MOTET_TRACE_SETTLED, /* what handlers changed was seen */
};

struct motet_trace_event {
    enum motet_trace_kind kind;
    unsigned number;  /* of the invariant; how many references came before an interrupt */
    const char *name; /* of the function, NULL: none */
    const char *file;
    unsigned line, level; /* level 0: outside of the level that is traced */
    const uint8_t *bytes; /* a value */
    size_t size;
};

/* Whether a firmware notes a trace. */
bool motet_machine_traces(const motet_machine *m);

/* The bytes of the ring in which it does; 0: it notes none. */
uint32_t motet_trace_ring(const motet_machine *m);

/* The bytes of its variable motet_trace_log, from a file. The machine must live as long. */
motet_trace *motet_trace_load(const motet_machine *m, const char *path, struct motet_error *e);
void motet_trace_free(motet_trace *t);

/* One event after the other, from 0; false past the last. */
bool motet_trace_event(const motet_trace *t, size_t number, struct motet_trace_event *e);

/* Functions that are traced without notes of their own, because only traced functions call them, from 0; false past the
 * last. */
bool motet_trace_inlined(const motet_trace *t, size_t number, struct motet_trace_event *e);

/* The variables that an event MOTET_TRACE_CHANGED changes, from 0: name, and the byte's new value; false past the last.
 */
struct motet_trace_change {
    const char *name;
    unsigned offset; /* of the byte in the variable */
    uint8_t value;
};
bool motet_trace_change(const motet_trace *t, size_t event, size_t number, struct motet_trace_change *c);

/* Writes a program for this computer that executes the traced functions with the trace's values. */
bool motet_trace_native(const motet_trace *t, const struct motet_native *o, struct motet_error *e);

#include "motet/base/end.h"

#endif
