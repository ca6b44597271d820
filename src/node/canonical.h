/* Canonical forms: one state that stands for all that act alike from now on.
 *
 * Histories leave traces that no future can see: how many instructions were executed, when a pin changed last, a frame
 * that ended long ago. The canonical form clears them. Invariant: two nodes of one machine with the same canonical
 * form, the same tracked bytes as far as their futures read them (node/uses.h), the same time and the same inputs act
 * alike. Devices without a canonical form of their own are compared as they are.
 */
#ifndef NODE_CANONICAL_H
#define NODE_CANONICAL_H

#include "node/node.h"

/* Changes the node, of which a snapshot must be restored afterwards. */
void node_canonical(struct node *n);

/* A clock that stands still and has no events: where it stopped is seen by nothing but devices that keep its cycles.
 * For clocks of which the canonical forms of all devices keep none then. */
void canonical_clock(struct node *n, unsigned clock);

/* The same of a clock that may run: what is left is how far its cycle under way has come, in 2^-32 of a tick. */
void canonical_clock_phase(struct node *n, unsigned clock);

/* Of a node in its canonical form, without what is tracked. */
struct digest node_canonical_digest(const struct node *n);

#endif
