/* Cycle stamps: a timer that takes the place of counted steps (target/recorder/stamp.h).
 *
 * Invariant: the application leaves the timer alone, and does nothing that takes an unknown time without a call of the
 * recorder; such code is refused, with its place.
 */
#ifndef REWRITE_STAMP_H
#define REWRITE_STAMP_H

#include "rewrite/pass.h"

/* The chip's timer of that name ("timer3", "timera"); NULL if it has none that can tell cycles. */
const struct fact_timer *stamp_timer(const char *name, const char *chip, const struct facts *f, struct motet_error *e);

/* Refuse what belongs to the timer, what changes its clock, and what stops the CPU for some cycles. */
bool stamp_check_register(struct pass *p, int node, const struct place *at);
bool stamp_check_handler(struct pass *p, const struct handler *h);
bool stamp_check_call(struct pass *p, int node);

/* A loop that polls: what is recorded of interrupts in it, and how its end is recorded. */
void stamp_around_poll(struct pass *p, int loop);

/* What rewritten files begin with. To be freed. */
char *stamp_declaration(const struct pass *p);

#endif
