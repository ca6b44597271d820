/* Plans: what `motet cc --trace` instruments so that the functions up to a level can be replayed natively.
 *
 * A plan is a text, a line for each thing; record/trace_plan.h says what each line means. Inside are the traced
 * functions. Invariant: a cell that is read inside and ever written is in the table; a function that is called from
 * inside and is not traced is skipped, so that its result and its effect on the table are logged; a handler that can
 * change the table, or runs a traced function, tells its position; a reference that such a handler can come before or
 * after is counted.
 */
#ifndef SLICE_PLAN_H
#define SLICE_PLAN_H

#include "slice/report.h"

bool plan_write(const struct report *r, const char *path, struct motet_error *e);

#endif
