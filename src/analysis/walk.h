/* Walks: abstract execution of a firmware's functions, without running it.
 *
 * A walk follows one function from its entry in one context, over all its paths, until nothing new is found: what is
 * known at each instruction is what holds on every path there. A call takes the result of the callee's walk. A context
 * is what matters of the caller: whether interrupts are on, and which registers hold a saved status register; so code
 * that handlers and main share is judged for each. Jumps from one function into another are followed as if the code
 * were one function's. Invariant: a walk is complete when walk_function returns it; walks end, for any code.
 */
#ifndef ANALYSIS_WALK_H
#define ANALYSIS_WALK_H

#include "analysis/code.h"
#include "isa/abstract.h"

/* How deep the stack gets in a function and what it calls, and how it comes about. */
struct walk_depth {
    bool there;
    uint32_t bytes;            /* below the stack pointer at the function's entry */
    uint32_t own;              /* of them, the function's own, with the return address of its call */
    uint32_t at;               /* instruction */
    const struct walk *callee; /* whose depth follows; NULL: none does */
};

struct walk {
    uint32_t entry;
    struct abstract_state start;
    const struct walk *caller; /* while it is under way; then NULL */
    bool indirect;             /* it was called through a pointer */

    struct walk_depth deepest, open; /* open: where interrupts are on */
    uint32_t top;                    /* of a walk from the reset: the stack pointer with nothing on the stack */
    bool returns, restarts;          /* restarts: it jumps to the reset */
    struct abstract_state exit;
    struct walk *next;
};

enum walk_doubt_kind {
    WALK_RECURSION,     /* `at` calls `to` again */
    WALK_GROWS,         /* a loop at `at` leaves more on the stack each time */
    WALK_STACK_POINTER, /* `at` gives the stack pointer a value that is not known */
    WALK_OTHER_STACK,   /* `at` moves it to an address of its own */
    WALK_RETURN,        /* `at` returns with a stack pointer that is not the caller's */
    WALK_ANYWHERE,      /* `at` calls or jumps to an address of which nothing is known */
};

struct walk_doubt {
    enum walk_doubt_kind kind;
    uint32_t at, to;
    uint32_t *cycle; /* of a recursion: the functions from `to` on, in the order of their calls */
    size_t cycle_count;
    bool indirect; /* of a recursion: one of its calls is through a pointer, which perhaps never leads there */
};

/* A step from one instruction to another that is not the next in memory, or a call. */
struct walk_edge {
    uint32_t from, to;
    enum abstract_flow flow;
};

enum { WALK_BUCKETS = 1024 };

struct walks {
    struct code code;
    struct walk *buckets[WALK_BUCKETS]; /* by entry */
    struct walk_doubt *doubts;
    size_t doubt_count, doubt_room;
    struct walk_edge *edges; /* may have one twice */
    size_t edge_count, edge_room;
    uint32_t *indirect; /* instructions that call or jump through a pointer to one of code.taken; may have one twice */
    size_t indirect_count, indirect_room;
    uint8_t *visited; /* of each byte of program memory: an instruction that a walk has met begins there */
    bool silent;      /* doubts are not kept */
};

void walks_begin(struct walks *x, const struct machine *m);
void walks_end(struct walks *x);

const struct walk *walk_reset(struct walks *x);
const struct walk *walk_interrupt(struct walks *x, uint32_t address);
const struct walk *walk_any(struct walks *x, uint32_t address); /* a function, called by nobody that is known */

/* Bytes below the top of the stack, of a depth in the walk from the reset. */
uint32_t walk_below_top(uint32_t top, uint32_t bytes);

#endif
