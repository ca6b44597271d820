/* Delays: what can make a check late without writing anything that the check reads.
 *
 * A task that runs for long holds up all others, and is outside of every slice. Invariant: each function with a loop
 * that a task or an interrupt handler runs is one that can delay; the loop that runs the tasks is none.
 */
#ifndef SLICE_DELAYS_H
#define SLICE_DELAYS_H

#include "slice/depend.h"
#include "slice/scheduler.h"

/* By function; to be freed. */
bool *delays_find(const struct depend *d, const struct scheduler *s);

#endif
