/* Reach: which code the nodes of a world have executed, and in which coarse states their variables were.
 *
 * A probe stands at each instruction that was not executed yet, and its first execution removes it: code that was
 * reached costs nothing. The coarse state of a node is what its truth values and enumerations are, which pointers are
 * null, and which small numbers are 0, 1 or more. Programs are told apart, nodes with the same program are not.
 *
 * It guides walks (check/guide.h) and prunes nothing. Invariants: looking changes nothing; what is new in a guided walk
 * depends on the plain run and on this walk alone, not on what the worker did before.
 */
#ifndef CHECK_REACH_H
#define CHECK_REACH_H

#include "check/world.h"

/* What all workers have reached, and what the plain run reaches. */
struct shared_reach;
struct shared_reach *shared_reach_new(uint64_t until); /* the plain run up to that time */
void shared_reach_free(struct shared_reach *s);
double shared_reach_share(struct shared_reach *s); /* of all instructions; below 0: it is not known yet. Any thread */

/* Of one world, which keeps it. The first to ask executes the plain run. */
struct reach;
struct reach *reach_of(struct shared_reach *s, struct world *w);

/* From now on new is what the plain run has not reached. */
void reach_begin(struct reach *r);

/* Whether something new was reached since the last call; then it is new no more. Coarse states are those of now. */
bool reach_took(struct reach *r);

#endif
