/* Stimuli of a network: what options say of the pins and analog inputs of every node, and of single ones.
 *
 * What is said of a node comes before what is said of all. Times are the network's, whenever a node boots. Invariant: a
 * pure function of that time, whatever thread asks.
 */
#ifndef CLI_NETWORK_STIMULI_H
#define CLI_NETWORK_STIMULI_H

#include "run.h"

struct network_stimuli;

/* Checks what the options say and connects it; NULL with a sentence if it cannot be. */
struct network_stimuli *network_stimuli_new(struct run_options *o, motet_network *n, struct motet_error *e);
void network_stimuli_free(struct network_stimuli *s);

/* Does what is due; returns when the next change is, MOTET_NEVER if there is none. */
uint64_t network_stimuli_apply(struct network_stimuli *s);

/* False if a script has failed. */
bool network_stimuli_good(const struct network_stimuli *s, struct motet_error *e);

#endif
