/* Levels: how far each function of a slice is from the check of the invariant, by the graph of functions of "A
 * dependence-based multi-level tracing" (definitions 4.1 to 4.4).
 *
 * A node is a function, copies taken as one; a function of nesC that only calls another (program_forwards) is left out,
 * and its caller calls that other one. Node `check` is the check; where there are interrupt handlers, node `root` calls
 * them and main, as the hardware does. Invariant: a path from the check goes over calls, from callee to caller, first,
 * and over dependences afterwards; a function's level is the length of the shortest one.
 */
#ifndef SLICE_LEVELS_H
#define SLICE_LEVELS_H

#include "slice/invariant.h"
#include "slice/walk.h"

struct levels {
    int count; /* nodes: functions by their group, then the check, then the root */
    int check, root;
    int *real;         /* of each group: the node that stands for it */
    bool *in;          /* of each node: it is in the graph */
    uint64_t *calls;   /* a bit for each pair: [caller] calls [callee] */
    uint64_t *depends; /* a bit for each pair: an edge of dependence from one to the other */
    size_t words;      /* of a row */
    int *level;        /* of each node: 0 if it has none */
    int highest;
    uint64_t *boundary; /* a bit for each pair: [level - 1] has [node] as a boundary */
    int collapsed;      /* functions of the slice that only call others */
};

/* `delays`, by function: those that can make the check late, NULL: none. */
void levels_make(struct levels *l, const struct depend *d, const struct walk *w, const struct invariant *list,
                 size_t count, const bool *delays);
void levels_free(struct levels *l);

bool levels_calls(const struct levels *l, int caller, int callee);
bool levels_depends(const struct levels *l, int from, int to);

/* Whether a function is a boundary of tracing up to a level: a path of calls alone, so long, leads to it. */
bool levels_is_boundary(const struct levels *l, int node, int level);

#endif
