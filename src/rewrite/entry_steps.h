/* Steps at the beginning of functions, put into the compiler's assembly: there it is known which functions are emitted
 * at all, and from how many places they are called. In the source a step would go with each copy of an inlined
 * function.
 *
 * Invariant: between two activations of a function there is a step or an event, unless no interrupt comes in it, or it
 * is called from one place, which the steps of its caller tell apart.
 */
#ifndef REWRITE_ENTRY_STEPS_H
#define REWRITE_ENTRY_STEPS_H

#include "rewrite/flow.h"

/* Before the name of a function that needs none, as a symbol that the rewritten file sets. */
#define ENTRY_STEPS_NONE ".Lmotet_none_"

struct emitted {
    char name[FLOW_NAME];
    size_t first, last;  /* lines */
    const char *section; /* the line that begins it */
    bool late;           /* goes round without counting, and is moved as a whole (loops.h) */
    bool enters;         /* a step is put before its first instruction */
    bool counts;         /* each pass has a step or an event before it calls or returns */
};

/* Finds out which of them need a step; they are in the order of their lines. */
void entry_steps_find(const struct listing *l, struct emitted *functions, size_t count);

#endif
