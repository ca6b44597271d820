/* Tracing by levels: functions of a plan tell when they are entered and left, into a ring in RAM.
 *
 * A plan is a text, a line for each function: number (from 1), level, line, name, file; `motet slice` makes it. In the
 * ring an entry is a function's number, and leaving it the number with TRACE_LEFT. Invariant: what is in the ring is
 * the last that happened before the first violation of an invariant, or up to now; the program's section .motet.trace
 * has the plan.
 */
#ifndef REWRITE_TRACE_H
#define REWRITE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { TRACE_MOST = 127, TRACE_LEFT = 128 };

struct trace {
    struct trace_function {
        unsigned number, level, line;
        char name[256], file[1024];
    } * list;
    size_t count, room;
    unsigned ring; /* bytes of the ring */
};

bool trace_load(struct trace *t, const char *path, unsigned ring, struct motet_error *e);
void trace_free(struct trace *t);

/* Rewrites the preprocessed file where it has a function of the plan. */
bool trace_place(const struct trace *t, const char *path, const char *target, bool cpp, const char *const *types,
                 struct motet_error *e);

#endif
