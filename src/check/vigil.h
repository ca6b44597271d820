/* Vigils: errors that show only over time, for which a user need not write a property.
 *
 * At each whole second every node is looked at. It is *stuck* if for some seconds in a row
 *   - it has not slept for a single cycle, though it slept in several seconds before; or
 *   - the same frame was at the front of its radio's receive buffer, though it fetched frames before.
 * A node that is off is not. Both are heuristics: a firmware that never sleeps, or that never reads what its radio
 * receives, is not judged.
 *
 * Invariants: looking changes nothing. What is found depends on the run alone, not on how it is cut into pieces.
 */
#ifndef CHECK_VIGIL_H
#define CHECK_VIGIL_H

#include "network/network.h"

enum vigil_finding { VIGIL_NOTHING, VIGIL_AWAKE, VIGIL_UNREAD };

struct vigil;

/* For a network at its beginning; `patience` in nanoseconds, whole seconds count. */
struct vigil *vigil_new(const struct network *n, uint64_t patience);
void vigil_free(struct vigil *v);

/* The next time to look, after the network's now. */
uint64_t vigil_next(const struct vigil *v);

/* Looks, if it is time. What is found comes with the number of its node; the first node if there are several. */
enum vigil_finding vigil_look(struct vigil *v, uint32_t *node);

/* ---- state as data ---- */

void *vigil_keep(const struct vigil *v); /* for the caller to free */
void vigil_back(struct vigil *v, const void *state);

#endif
