/* Start-up code, executed for what it shows: where a firmware without symbols and section headers has its variables.
 *
 * Start-up code sets the stack pointer, then gives all variables their initial values, then calls something. Invariant:
 * the trial runs on a node of its own; nothing of it reaches the nodes of the machine.
 */
#ifndef NODE_START_UP_H
#define NODE_START_UP_H

#include <stdint.h>

struct machine;

/* The data address after the last variable that start-up code initialises; 0 if it initialises none, or does not come
 * to its first call. */
uint32_t start_up_variables_end(const struct machine *m);

#endif
