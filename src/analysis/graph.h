/* Graph: a firmware's code as blocks of instructions and the steps between them.
 *
 * A block is a run of instructions that is entered at its first and left at its last only; no block crosses from one
 * function into another. Invariant: every instruction that a flow has met is in one block, blocks are ascending, and
 * every edge leads from the last instruction of a block to the first of another.
 */
#ifndef ANALYSIS_GRAPH_H
#define ANALYSIS_GRAPH_H

#include "analysis/flow.h"

struct graph_block {
    uint32_t first, last, end; /* last: its last instruction */
    uint32_t function;         /* where the function begins that it is of */
};

struct graph {
    struct graph_block *blocks;
    size_t block_count;
    struct flow_edge *edges; /* ascending; `to` of a jump is a block's first instruction */
    size_t edge_count;
    uint32_t *indirect; /* ascending: instructions that call or jump through a pointer */
    size_t indirect_count;
};

/* Also flows the functions that nothing is known to call. */
void graph_find(struct graph *g, struct flows *x);

/* Edges and indirect calls of what has been followed so far, without blocks. */
void graph_take(struct graph *g, const struct flows *x);
void graph_free(struct graph *g);

#endif
