/* Stimuli of a run: what options say of the pins and analog inputs of every node, and of single ones.
 *
 * What is given for a node comes before what is given for every node. Times are the network's, whenever a node boots.
 * Invariant: a pure function of that time, in every thread.
 */
#ifndef CLI_STIMULI_H
#define CLI_STIMULI_H

#include "run.h"

struct stimuli;

/* Checks the options and connects the inputs; NULL with a sentence if that cannot be done. */
struct stimuli *stimuli_new(struct run_options *o, motet_network *n, struct motet_error *e);
void stimuli_free(struct stimuli *s);

/* Does what is due; both return when the next change is, MOTET_NEVER if there is none. */
uint64_t stimuli_apply(struct stimuli *s);
uint64_t stimuli_next(const struct stimuli *s);

/* False if a script has failed. */
bool stimuli_good(const struct stimuli *s, struct motet_error *e);

#endif
