/* Dependences: what each value, each cell of memory and each execution of a block depends on directly, over all
 * functions that can run.
 *
 * The nodes are values (instructions and parameters), results of functions, blocks ("is executed"), functions ("is
 * called"), calls ("is executed") and cells ("its contents"). Memory is taken without order, so that an edge from a
 * write to a read holds also across tasks and interrupts. Invariant: where a node's value can differ because of
 * another's, there is a path between them. What is left out is named: hardware (a register depends on writes to itself
 * alone), and whether a loop ends.
 */
#ifndef SLICE_DEPEND_H
#define SLICE_DEPEND_H

#include "slice/points.h"
#include "slice/scheduler.h"

enum depend_kind {
    DEPEND_VALUE,    /* of an operand */
    DEPEND_READ,     /* a load, of a cell */
    DEPEND_WRITE,    /* a cell, of a store */
    DEPEND_BRANCH,   /* a block, of a branch */
    DEPEND_INSIDE,   /* an instruction, of its block; a block, of its function */
    DEPEND_CALL,     /* a function, of a call */
    DEPEND_POST,     /* a task, of a call that posts it */
    DEPEND_ARGUMENT, /* a parameter, of what is passed */
    DEPEND_RESULT,   /* a call, of what its function returns */
    DEPEND_THROUGH,  /* a call's result, of what is passed: the way through the function in short */
};

struct dependence {
    int from, to; /* from depends on to */
    enum depend_kind kind;
};

struct depend {
    struct points *points;
    const struct program *p;
    int results, blocks, functions, calls, cells, count; /* where each kind of node begins; all */
    struct dependence *edges;
    size_t edge_count, edge_room;
    int *first_to, *to;     /* edges by their `from`: first_to[n] .. first_to[n + 1] */
    int *first_from, *from; /* edges by their `to` */
};

/* Whether the edge leads from a call into the function it calls, by its result. */
bool depend_descends(const struct depend *d, const struct dependence *e);

void depend_make(struct depend *d, struct points *points, const struct scheduler *s);
void depend_free(struct depend *d);

/* The function that a node is in, -1 for a cell. */
int depend_function(const struct depend *d, int node);

/* Its instruction, -1 if it has none. */
int depend_instruction(const struct depend *d, int node);

#endif
