/* Sites: where in the code an interrupt can matter.
 *
 * A handler can disturb other code only at instructions that touch what the handler touches too, if one of the two
 * writes it, and only while the CPU accepts interrupts. A network is watched for a while: each handler has the
 * variables that it and what it calls have read and written, and its sites are the instructions outside of it that
 * share one of these. An interrupt that comes between other instructions has the effect of one that came a little
 * earlier or later. Variables are those below the stack; what was not executed meanwhile is not known.
 *
 * Invariant: sites depend on the firmware, the plain run and the time watched; they are in the order of addresses.
 */
#ifndef CHECK_SITES_H
#define CHECK_SITES_H

#include "check/world.h"

struct sites;

/* Watches the network as it runs from its beginning to a time, without choices. */
struct sites *sites_learn(struct world *w, uint64_t until);
void sites_free(struct sites *s);

/* The sites of a node's line, by number from 0; false past the last. */
bool sites_at(const struct sites *s, uint32_t node, unsigned line, size_t number, uint32_t *address);
size_t sites_count(const struct sites *s, uint32_t node, unsigned line);

/* All nodes look out for their sites, until that ends. */
struct lookout;
struct lookout *sites_look_out(const struct sites *s, struct network *n);
void lookout_end(struct lookout *l);

/* Sites that several workers share: the first one that asks learns them, in its own world. */
struct shared_sites;
struct shared_sites *shared_sites_new(uint64_t until);
void shared_sites_free(struct shared_sites *s);
const struct sites *shared_sites_learnt(struct shared_sites *s, struct world *w);

#endif
