/* Searches: many walks, in all workers, for the first that goes wrong.
 *
 * Walk number i is a function of the seed and of i. Workers take the numbers in order; when one goes wrong, those with
 * lower numbers are still completed. Invariant: the result is the failing walk with the lowest number, whatever the
 * number of workers, unless the search was stopped from outside.
 */
#ifndef CHECK_SEARCH_H
#define CHECK_SEARCH_H

#include "base/error.h"
#include "check/walk.h"

enum { SEARCH_VARIANTS = 4 }; /* of delays at the beginning; the first has none */

struct search_options {
    uint64_t seed;
    uint64_t walks;
    uint64_t steady, length; /* nanoseconds: to the steady state, and of a walk from there */
    unsigned workers;
    struct weights weights;
};

/* How far it is, read at any time while it runs. */
struct search_progress {
    uint64_t walks;       /* completed */
    uint64_t nanoseconds; /* simulated, from the steady state on */
    uint64_t asked;       /* choices */
};

struct search_result {
    bool found;
    uint64_t walk; /* which one */
    struct violation violation;
    struct trace trace; /* its choices, in the order they were made; delays first */
    struct search_progress done;
    bool stopped; /* from outside, before all walks were done */
};

/* A subject for a worker of its own; NULL with a sentence. `release` takes it back. */
struct subjects {
    void *context;
    bool (*make)(void *context, struct check_subject *s, struct motet_error *e);
    void (*release)(void *context, struct check_subject *s);
};

/* Asked about ten times a second, in the caller's thread, while workers run; true ends the search. */
typedef bool search_stop(void *context, const struct search_progress *p);

bool search_run(const struct search_options *o, const struct subjects *s, search_stop *stop, void *context,
                struct search_result *r, struct motet_error *e);
void search_result_free(struct search_result *r);

/* The seed of a walk, and of the delays before it. */
uint64_t search_seed(const struct search_options *o, uint64_t walk);

/* Runs the choices again from the beginning, to the time or the first violation. What was chosen indeed replaces
 * `taken` (may be NULL). */
struct violation search_replay(struct world *w, const struct search_options *o, const struct trace *t, uint64_t until,
                               struct trace *taken);

#endif
