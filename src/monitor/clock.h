/* The firmware's own clock as the time of what monitors find: for replays, in which nothing passes while a node sleeps.
 *
 * Invariant: time never goes back. It is what the firmware's variable says since its last change, and from there on the
 * cycles executed; so it is as late as the firmware itself was in reading its timer.
 */
#ifndef MONITOR_CLOCK_H
#define MONITOR_CLOCK_H

#include "motet/motet.h"

struct clock;

/* "EXPRESSION/HZ": a C expression and how often it counts a second. NULL with a sentence if it is none. */
struct clock *clock_new(motet_node *n, const char *text, struct motet_error *e);
void clock_free(struct clock *c);

uint64_t clock_time(struct clock *c, uint64_t tick); /* nanoseconds */

#endif
