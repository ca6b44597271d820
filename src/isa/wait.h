/* Loops that only wait: whose rounds change nothing but what they read again, or count.
 *
 * Polling a flag, following a timer, counting down to spend time: the rounds of such a loop are passed over up to the
 * one in which something can change, with the cycles, instructions and registers that executing them would have left.
 * An instruction set marks the branches that may close such a loop when it decodes code, so that no other instruction
 * costs more. Where a marked branch comes again and again, one round is traced (isa/avr/wait.c, isa/msp430/wait.c) on
 * affine numbers (isa/affine.h), and so it is known how many rounds take the same way.
 *
 * Invariant: at least one whole round is executed after those that are passed over, and before the slice ends. So
 * registers and flags that each round sets anew before it uses them, and what devices keep of a read, need not be
 * worked out. Rounds that something looks at (marks, watches, a log) are all executed.
 *
 * MOTET_EVERY_ROUND=1 in the environment executes every round of every loop: for comparison.
 */
#ifndef ISA_WAIT_H
#define ISA_WAIT_H

#include <limits.h>

#include "isa/affine.h"
#include "isa/slice.h"
#include "node/device.h"

enum {
    WAIT_ROUNDS = 4,   /* visits of a branch before its loop is traced */
    WAIT_LONGEST = 96, /* cycles of a round */
    WAIT_WORDS = 24,   /* of code from the head of a loop to its branch */
    WAIT_STEPS = 24,   /* instructions of a round */
    WAIT_TRACES = 6,   /* attempts to find what changes how */
};

/* The branch that was met last. */
struct wait_spin {
    const void *at;
    int64_t left;  /* then */
    int64_t round; /* what `left` lost since the visit before */
    int visits;    /* one after the other; negative: it is no such loop */
};

/* A marked branch is met; whether its loop is worth a trace. */
static inline bool wait_again(struct wait_spin *s, const void *at, int64_t left)
{
    s->round = s->left - left;
    bool again = at == s->at && s->round > 0 && s->round < SLICE_CYCLES(WAIT_LONGEST);
    s->at = at;
    s->left = left;
    s->visits = again ? s->visits + 1 : 0;
    return s->visits >= WAIT_ROUNDS && left > 3 * s->round;
}

/* What a trace came to. */
enum wait_found {
    WAIT_NEVER, /* no loop that only waits */
    WAIT_LATER, /* not in this round */
    WAIT_FOUND,
};

/* From what the visits of the branch count after a trace: one that gained little, or nothing, is not soon repeated. */
static inline int wait_visits(enum wait_found found, uint64_t rounds)
{
    enum { WORTH_IT = 24, PAUSE = 64 };
    return found == WAIT_NEVER ? INT_MIN : rounds >= WORTH_IT ? 0 : -PAUSE;
}

/* Whether the mark of the branch is to be lifted in shared code, where it costs time and keeps code from being
 * translated: never, or not in so many traces (`failures`, of this branch), was its loop one that only waits. No result
 * depends on it, so nodes in other threads may do the same. */
static inline bool wait_is_in_vain(const struct node *n, enum wait_found found, uint64_t rounds, uint8_t *failures)
{
    if (n->code != n->machine->code || n->watching || (n->taps && n->taps->watches_registers))
        return false; /* what looks at this node says nothing of others */
    uint8_t before = __atomic_load_n(failures, __ATOMIC_RELAXED), after = rounds ? 0 : (uint8_t)(before + 1);
    if (after != before)
        __atomic_store_n(failures, after, __ATOMIC_RELAXED);
    return found == WAIT_NEVER || after == UINT8_MAX;
}

/* A round of the loop, as it was found. */
struct wait_round {
    int64_t cycles, instructions;
    uint64_t same; /* the last round, from 0, that goes the same way */
    uint64_t ends; /* the first cycle, counted from now, at which a read may be different */
};

bool wait_is_off(void); /* see above */

/* How a register at a place (node/map.h) is read from now on; false if that is not known. Plain registers are
 * OUTLOOK_SAME. */
bool wait_register(const struct node *n, uint32_t place, struct outlook *s);

/* The first cycle, counted from the one of the CPU that is now, that begins at the tick or later. */
uint64_t wait_cycles_to(const struct node *n, uint64_t tick);

/* The loop goes on as it does for some time from now on, unless an event comes: notes it (node->waits_until). */
void wait_note(struct node *n, const struct wait_round *r);

/* How many rounds can be passed over with so much left of the slice, one more being executed whole. */
uint64_t wait_rounds(const struct wait_round *r, int64_t left);

/* Passes over them; returns the new `left`. They do not count as executed where hot code is looked for (isa/heat.h). */
static inline int64_t wait_pass(struct node *n, const struct wait_round *r, uint64_t rounds, int64_t left)
{
    n->heat.passed += rounds * (uint64_t)r->instructions;
    return left - (int64_t)rounds * (SLICE_CYCLES(r->cycles) + r->instructions);
}

#endif
