/* Traps: a firmware that gives itself up, by calling abort, or because a check that its compiler put in has failed.
 *
 * No search is needed while a node runs: instruction sets mark, when they decode, the entries of the functions that are
 * called then and the branches that lead to nothing but such a call (a compiler lets many checks share one call, so
 * that only the branch says which of them it was). Invariant: what stands here are facts about code and registers.
 * Their meaning depends on the compiler's options; api/trap.h finds it.
 */
#ifndef NODE_TRAP_H
#define NODE_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#define TRAP_NOWHERE UINT32_MAX

/* What the branch had compared when it went to the trap. */
enum trap_test {
    TRAP_TEST_NONE,     /* nothing that is understood */
    TRAP_TEST_ZERO,     /* a value was zero */
    TRAP_TEST_RANGE,    /* a value was not below a bound */
    TRAP_TEST_OVERFLOW, /* a result did not fit */
};

struct trap {
    uint32_t entry; /* byte address of the function that was called */
    uint32_t call;  /* of the instruction that called it, or jumped there; TRAP_NOWHERE if not known */
    uint32_t after; /* of the instruction after that */
    uint32_t from;  /* of the branch that led to the call; TRAP_NOWHERE if none did */
    bool shared;    /* other branches lead to the same call */
    enum trap_test test;
    uint8_t size; /* bytes that were compared; 0: the value is not known */
    uint32_t value, bound;
};

/* What a comparison of two numbers and the way it led to a trap say. `below`: taken when a < b, else when a >= b; then
 * b is the index, unless it is a constant: give `size` as 0. */
void trap_compared(struct trap *t, uint32_t a, uint32_t b, uint8_t size, bool below);
/* The same for a comparison that was taken when they were equal, or when not. */
void trap_matched(struct trap *t, uint32_t a, uint32_t b, uint8_t size, bool equal);

struct node;

/* Reports a trap as a fault, with the stack pointer as it was before the call. True if the node is to stop. */
bool node_trap(struct node *n, const struct trap *t, uint32_t sp);

#endif
