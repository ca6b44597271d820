/* Tracing by levels: functions of a plan log what a native replay of them needs, into a ring in RAM (target/trace).
 *
 * Invariant: the program's section .motet.trace has the plan; its section .motet.source has what was compiled, with
 * marks around text that is for the chip alone, or for native programs alone.
 */
#ifndef REWRITE_TRACE_H
#define REWRITE_TRACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "record/trace_plan.h"

/* Around text of a source that native programs do not have, and that they alone have (native/build.c). */
#define TRACE_CHIP       "/*motet:chip*/"
#define TRACE_CHIP_END   "/*motet:end*/"
#define TRACE_NATIVE     "/*motet:native "
#define TRACE_NATIVE_END " motet:end*/"

struct trace {
    struct trace_plan plan;
    char *text;    /* of the plan */
    unsigned ring; /* bytes of the ring */
    const char *target_files;
};

bool trace_load(struct trace *t, const char *path, struct motet_error *e);
void trace_free(struct trace *t);

/* Rewrites the preprocessed file where it has a function or a variable of the plan. */
bool trace_place(const struct trace *t, const char *path, const char *target, bool cpp, const char *const *types,
                 struct motet_error *e);

#endif
