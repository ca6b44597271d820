/* Loops that let time pass by a timer, and leave nothing: `for (wraps = 122; wraps;) { next = TCNT1; if (next < start)
 * wraps--; start = next; }`, in which TinyOS waits a second for a crystal. Each round would be recorded.
 *
 * Such a loop becomes a function that replay does not execute (measure.h). Invariant: it reads timers and state,
 * changes nothing but local variables, and none of these is used after it before it is assigned to.
 */
#ifndef REWRITE_CALIBRATE_H
#define REWRITE_CALIBRATE_H

#include "rewrite/pass.h"

/* Before anything is visited. */
void calibrate_find(struct pass *p);

#endif
