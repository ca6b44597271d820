/* The machines of a run: its firmware on its board, with the parts from outside that each node has.
 *
 * Invariant: nodes with the same parts share a machine.
 */
#ifndef CLI_MACHINES_H
#define CLI_MACHINES_H

#include "run.h"

struct machines;

/* Loads what the options say. NULL with a sentence. */
struct machines *machines_load(const struct run_options *o, struct motet_error *e);
const motet_machine *machines_of(const struct machines *m, uint32_t id); /* of the node with that id */
void machines_free(struct machines *m);                                  /* after the nodes; NULL is allowed */

#endif
