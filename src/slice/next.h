/* What to trace next (algorithm 4.1 of "A dependence-based multi-level tracing"): the functions that traces have shown
 * to run, and those of the next level that are connected with one of them. So the next firmware follows the way that
 * the error took, and not all of a level.
 *
 * Invariant: functions in which an invariant is checked are always among them.
 */
#ifndef SLICE_NEXT_H
#define SLICE_NEXT_H

#include "slice/report.h"

struct next {
    bool *in;  /* by function, copies at the first */
    int *from; /* by function: the one in the traces that it is connected with; its own number: it is in them itself */
    int level; /* of the functions that come in addition */
    int count; /* of these */
};

/* From o->seen. False if there is nothing to come in addition. */
bool next_find(struct next *n, const struct report *r, struct motet_error *e);
void next_free(struct next *n);

void next_print(const struct next *n, const struct report *r);

#endif
