/* Batteries of a run (--battery): a node whose battery is empty is switched off, for good.
 *
 * A battery is a part of the run and not of what looks at it: it changes the digest. What a node draws is measured by
 * the board's table of currents (motet/energy.h). Each battery is looked at when it could be empty at the earliest, at
 * intervals of no less than a millisecond, so that a node dies within a millisecond of the end of its charge.
 * Invariant: the times of deaths depend on scenario, seed and options alone.
 */
#ifndef CLI_BATTERIES_H
#define CLI_BATTERIES_H

#include "run.h"

struct batteries;

/* NULL with a sentence if a board has no table of currents. */
struct batteries *batteries_new(const struct run_options *o, motet_network *n, struct motet_error *e);
void batteries_free(struct batteries *b); /* before the network; NULL is allowed */

/* Switches off the nodes whose batteries are empty now. Returns when to ask again, MOTET_NEVER if never. */
uint64_t batteries_apply(struct batteries *b);

/* The network's time at which a node's battery was empty; MOTET_NEVER: it was not, or the node has none. */
uint64_t batteries_empty(const struct batteries *b, size_t node);

#endif
