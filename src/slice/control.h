/* Control dependence: which branches decide whether a block runs, once its function is called. By post-dominators
 * (Ferrante, Ottenstein, Warren 1987).
 *
 * Invariant: a block depends on exactly those branches of its function of which one way leads to it for certain and
 * another may not. A loop without an end counts as one that ends somewhere.
 */
#ifndef SLICE_CONTROL_H
#define SLICE_CONTROL_H

#include "slice/program.h"

/* Calls `found` for each pair of a block and the block whose branch decides about it, by their numbers. */
void control_of(const struct program *p, int function, void (*found)(void *context, int block, int decides),
                void *context);

#endif
