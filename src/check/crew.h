/* Crews: workers that do the numbered items of a search, each in a world of its own, until one item fails.
 *
 * Workers take the numbers in order. When an item fails, those with lower numbers are still completed. Invariant: the
 * result is the failing item with the lowest number, whatever the number of workers, unless the search was stopped from
 * outside. So an item must depend on its number alone.
 */
#ifndef CHECK_CREW_H
#define CHECK_CREW_H

#include "base/error.h"
#include "check/walk.h"

/* How far it is, read at any time while it runs. */
struct search_progress {
    uint64_t items;       /* walks, or others, completed */
    uint64_t nanoseconds; /* simulated, from the steady state on */
    uint64_t asked;       /* choices */
};

struct search_result {
    bool found;
    uint64_t item; /* which one */
    struct violation violation;
    struct trace trace; /* its choices, in the order they were made; delays first */
    struct search_progress done;
    bool stopped;  /* from outside, before all was done */
    uint64_t next; /* all items below it were done and did not fail */
};
void search_result_free(struct search_result *r);

/* A subject for a worker of its own; false with a sentence. `release` takes it back. */
struct subjects {
    void *context;
    bool (*make)(void *context, struct check_subject *s, struct motet_error *e);
    void (*release)(void *context, struct check_subject *s);
};

/* Asked about ten times a second, in the caller's thread, while workers run; true ends the search. */
typedef bool search_stop(void *context, const struct search_progress *p);

struct crew;

struct crew_job {
    void *context;
    uint64_t first, count; /* of items; those below the first were done before */

    /* Does an item. The choices that lead to a violation go into `t`. */
    struct violation (*one)(void *context, struct crew *c, struct world *w, uint64_t number, struct trace *t);
};

bool crew_run(const struct crew_job *j, unsigned workers, const struct subjects *s, search_stop *stop, void *context,
              struct search_result *r, struct motet_error *e);

/* For items: whether an item of that number can still be the result, and what was done. */
bool crew_goes_on(const struct crew *c, uint64_t number);
void crew_add(struct crew *c, uint64_t nanoseconds, uint64_t asked);

#endif
