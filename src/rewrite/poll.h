/* Polling loops: `while (!(STATUS & DONE));`, `for (;;) if (STATUS & DONE) break;` and similar loops, whose reads need
 * not be recorded.
 *
 * Invariant: a loop is one only if leaving it leaves the program in the same state: its body does nothing, its
 * condition is a pure function of the read, one value of whose bits ends it, and nothing is assigned in it. Of a loop
 * that reads a counter twice, all that is assigned in it is recorded after it.
 */
#ifndef REWRITE_POLL_H
#define REWRITE_POLL_H

#include "rewrite/tree.h"

struct poll {
    int loop;
    uint32_t leave, stay; /* values of the register that end the loop, and that keep it going */
};

/* Whether the read is the condition of a polling loop; `live` are the bits of it that matter. */
bool poll_at(struct tree *t, int read, uint32_t live, const char *target, struct poll *p);

/* The same for a loop whose condition has a call at `place`, of a function that only forwards to the read. */
bool poll_through(struct tree *t, int place, int read, uint32_t live, const char *target, struct poll *p);

/* Whether the node stands in the condition of a loop that does nothing else. */
bool poll_is_condition(struct tree *t, int node, const char *target);

/* A call without arguments of a function that does nothing but give a value, by way of a variable perhaps:
 * `return value;`, or as nesC has it `variable = value; return variable;`. Or one of two numbers:
 * `if (value) return 1; return 0;`. */
struct forward {
    int value;    /* an expression */
    int variable; /* its declaration; -1: none */
    bool chooses; /* `given` is the result: if the value is not zero, and if it is */
    int64_t given[2];
};
bool poll_forwards(struct tree *t, int call, struct forward *f);

/* Whether a variable is a function's own, an integer, and nothing else can reach it. */
bool poll_is_own(const struct tree *t, int variable);

/* The condition of a loop that does nothing else; -1: it does, or is of another form. */
int poll_condition(struct tree *t, int loop, const char *target);

/* Reading a counter of another clock until it is the same twice: `do { a = R; b = R; } while (a != b);`, or
 * `b = R; do { a = b; b = R; } while (a != b);`. Only the last value counts, and recording each would take so long that
 * no two were ever the same. */
struct steady {
    int variables[2]; /* their declarations: locals that nothing else can reach */
    int reads[2];     /* what is to be the same register */
};
bool poll_steady(const struct tree *t, int loop, struct steady *s);

#endif
