/* Stack: how deep a firmware's stack can get, over all paths and interrupts, and by which chain of calls.
 *
 * The bound is the deepest that the code from the reset gets, or, where interrupts are on, the depth there and all
 * handlers that can be on the stack together: those that turn interrupts on, each once, and a last one. Where a more
 * urgent interrupt is taken in a handler without that, all of them can. Invariant: a run without a fault stays within
 * the bound if there is no doubt (flow.h) and no handler interrupts itself.
 */
#ifndef ANALYSIS_STACK_H
#define ANALYSIS_STACK_H

#include "analysis/flow.h"

enum { STACK_NO_LINE = -1 };

struct stack_entry {
    int line;                /* interrupt, or STACK_NO_LINE for the reset */
    uint32_t address;        /* where its code is, after the jump in the vector */
    const struct flow *flow; /* from the vector on */
    unsigned pushed;         /* bytes that the interrupt itself puts on the stack */
    bool always;             /* taken also while interrupts are off */
    unsigned others;         /* more lines that lead there, where handlers nest by themselves */
};

struct stack_level {
    int line;       /* interrupt that begins here, or STACK_NO_LINE */
    uint32_t entry; /* of the function, */
    uint32_t at;    /* and the instruction that goes on to the next level, or is the deepest */
    uint32_t bytes;
};

struct stack {
    struct stack_entry *entries; /* the reset, then interrupts by number; unused vectors are left out */
    size_t entry_count;
    unsigned unused;     /* vectors that only lead to a restart or an endless loop */
    uint32_t top, bytes; /* the stack pointer with nothing on the stack; the bound */
    struct stack_level *chain;
    size_t chain_count, chain_room;
};

void stack_find(struct stack *s, struct flows *x);
void stack_free(struct stack *s);

/* Bytes that an entry point takes at the deepest, and where interrupts are on (`opens`: anywhere). */
uint32_t stack_deepest(const struct stack *s, const struct stack_entry *e);
uint32_t stack_open(const struct stack *s, const struct stack_entry *e, bool *opens);

#endif
