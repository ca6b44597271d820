/* Walks over dependences: everything that nodes depend on (backward), or that depends on them (forward).
 *
 * Backward, a function that is entered because its result is used is not left to its other callers: what was passed to
 * it counts where it was called (Horwitz, Reps and Binkley 1990, with calls in short taken as depending on all that is
 * passed). Memory has no such order; what wrote it counts for all callers. Invariant: a node is reached over the
 * shortest way from where the walk began; that way can be told. A function that the walk stops at is reached, and
 * nothing is reached through it.
 */
#ifndef SLICE_WALK_H
#define SLICE_WALK_H

#include "slice/depend.h"

struct walk {
    bool *reached;   /* of each node */
    int *by, *below; /* of each node: the edge over which it was reached, -1 at the beginning, -2: it was not; free to
                        go to all callers, and not free */
    bool *inside;    /* of each function, as its group: it has a node that was reached */
    int functions;   /* how many are inside */
    bool forward;
};

/* `stops`, by function: NULL: none. */
void walk_make(struct walk *w, const struct depend *d, const int *from, size_t count, bool forward, const bool *stops);
void walk_free(struct walk *w);

/* The way to a node, from it back to the beginning: edges, to be freed. */
int *walk_way(const struct walk *w, const struct depend *d, int node, int *length);

/* How many functions there are that can run, copies counted once. */
int walk_all_functions(const struct program *p);

#endif
