/* Traps in words: finds the cause from the comparison that led to a trap (node/trap.h) and from the options of the
 * compiler.
 *
 * Invariant: a cause is given only where no other fits; otherwise it is MOTET_TRAP_UNKNOWN.
 */
#ifndef API_TRAP_H
#define API_TRAP_H

#include "motet/motet.h"
#include "node/machine.h"
#include "node/node.h"

/* Fills in cause, index and bound. */
void trap_judge(const struct machine *m, const struct fault *f, struct motet_fault *judged);

const char *trap_title(enum motet_trap_cause cause);    /* "index out of bounds" */
const char *trap_sentence(enum motet_trap_cause cause); /* what happened, where there is no more to say */

#endif
