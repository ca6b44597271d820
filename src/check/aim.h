/* Aims: occasions in a run at which an interrupt can come just after a certain instruction.
 *
 * An interrupt that is posted waits for the instruction no longer than HOLDS_PREEMPT. So an occasion is one that is
 * posted so shortly before the node executes the instruction. Few are left of the thousands that are posted.
 */
#ifndef CHECK_AIM_H
#define CHECK_AIM_H

#include "check/search.h"

/* Executes the choices of `plan` from the steady state up to a time, and adds the occasions for `like`, a choice of
 * CHOICE_PREEMPT, on a node: as choices, in the order of their times. */
void aim_find(struct world *w, const struct search_options *o, const struct trace *plan, const struct choice *like,
              uint32_t node, uint64_t until, struct trace *occasions);

#endif
