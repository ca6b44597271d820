/* Flows: abstract execution of a firmware's functions, without running it.
 *
 * A flow is one function in one context, followed from its entry over all its paths until nothing new is found: what is
 * known at each instruction is what holds on every path there. A call takes the result of the callee's flow. A context
 * is what matters of the caller: whether interrupts are on, and which registers hold a saved status register; so code
 * that handlers and main share is judged for each. Jumps from one function into another are followed as if the code
 * were one function's. Invariant: a flow that a caller gets is complete; the search ends for any code.
 */
#ifndef ANALYSIS_FLOW_H
#define ANALYSIS_FLOW_H

#include "analysis/code.h"
#include "isa/abstract.h"

/* How deep the stack gets in a function and what it calls, and how it comes about. */
struct flow_depth {
    bool there;
    uint32_t bytes;            /* below the stack pointer at the function's entry */
    uint32_t own;              /* of them, the function's own, with the return address of its call */
    uint32_t at;               /* instruction */
    const struct flow *callee; /* whose depth follows; NULL: none does */
};

struct flow {
    uint32_t entry;
    struct abstract_state start;
    const struct flow *caller; /* while it is under way; then NULL */
    bool indirect;             /* it was called through a pointer */

    struct flow_depth deepest, open; /* open: where interrupts are on */
    uint32_t top;                    /* of a flow from the reset: the stack pointer with nothing on the stack */
    bool returns, restarts;          /* restarts: it jumps to the reset */
    struct abstract_state exit;
    struct flow *next;
};

enum flow_doubt_kind {
    FLOW_RECURSION,     /* `at` calls `to` again */
    FLOW_GROWS,         /* a loop at `at` leaves more on the stack each time */
    FLOW_STACK_POINTER, /* `at` gives the stack pointer a value that is not known */
    FLOW_OTHER_STACK,   /* `at` moves it to an address of its own */
    FLOW_RETURN,        /* `at` returns with a stack pointer that is not the caller's */
    FLOW_ANYWHERE,      /* `at` calls or jumps to an address of which nothing is known */
};

struct flow_doubt {
    enum flow_doubt_kind kind;
    uint32_t at, to;
    uint32_t *cycle; /* of a recursion: the functions from `to` on, in the order of their calls */
    size_t cycle_count;
    bool indirect; /* of a recursion: one of its calls is through a pointer, which perhaps never leads there */
};

/* A step from one instruction to another that is not the next in memory, or a call. */
struct flow_edge {
    uint32_t from, to;
    enum abstract_flow flow;
};

enum { FLOW_BUCKETS = 1024 };

struct flows {
    struct code code;
    struct flow *buckets[FLOW_BUCKETS]; /* by entry */
    struct flow_doubt *doubts;
    size_t doubt_count, doubt_room;
    struct flow_edge *edges; /* may have one twice */
    size_t edge_count, edge_room;
    uint32_t *indirect; /* instructions that call or jump through a pointer to one of code.taken; may have one twice */
    size_t indirect_count, indirect_room;
    uint8_t *visited; /* of each byte of program memory: an instruction that a flow has met begins there */
    bool silent;      /* doubts are not kept */
};

void flows_begin(struct flows *x, const struct machine *m);
void flows_end(struct flows *x);

const struct flow *flow_reset(struct flows *x);
const struct flow *flow_interrupt(struct flows *x, uint32_t address);
const struct flow *flow_any(struct flows *x, uint32_t address); /* a function, called by nobody that is known */

/* Bytes below the top of the stack, of a depth in the flow from the reset. */
uint32_t flow_below_top(uint32_t top, uint32_t bytes);

#endif
