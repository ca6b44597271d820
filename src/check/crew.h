/* Crews: workers that do the numbered items of a search, each in a world of its own, until one item fails.
 *
 * Workers take the numbers in order, out of the shares that their process was given: all items, or with ranks those
 * that rank 0 gives it (check/shares.h). When an item fails, those with lower numbers are still completed. Invariant:
 * the result is the failing item with the lowest number, whatever the number of workers and ranks, unless the search
 * was stopped from outside. So an item must depend on its number alone.
 */
#ifndef CHECK_CREW_H
#define CHECK_CREW_H

#include "base/error.h"
#include "base/ranks.h"
#include "check/walk.h"

/* How far it is, read at any time while it runs. */
struct search_progress {
    uint64_t items;       /* walks, or others, completed */
    uint64_t nanoseconds; /* simulated, from the steady state on */
    uint64_t asked;       /* choices */
    double reached;       /* share of the code; below 0: it is not known */
};

enum { CREW_FIGURES = 8 };

struct search_result {
    bool found;
    uint64_t item; /* which one */
    struct violation violation;
    struct trace trace; /* its choices, in the order they were made; delays first. Empty but at rank 0 */
    struct search_progress done;
    uint64_t figures[CREW_FIGURES]; /* the job's own, added up over all ranks */
    bool stopped;                   /* from outside, before all was done */
    uint64_t next;                  /* all items below it were done and did not fail */
    unsigned lost;                  /* ranks that fell silent; others have done their shares */
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
    uint64_t first, count;     /* of items; those below the first were done before */
    const struct ranks *ranks; /* that share it, or NULL */
    uint64_t round;            /* of several jobs that ranks share, one after the other: which one */

    /* Does an item. The choices that lead to a violation go into `t`. */
    struct violation (*one)(void *context, struct crew *c, struct world *w, uint64_t number, struct trace *t);

    /* What the job has counted in this process so far; may be NULL. */
    void (*figures)(void *context, uint64_t figures[CREW_FIGURES]);
};

bool crew_run(const struct crew_job *j, unsigned workers, const struct subjects *s, search_stop *stop, void *context,
              struct search_result *r, struct motet_error *e);

/* For items: whether an item of that number can still be the result, and what was done. */
bool crew_goes_on(const struct crew *c, uint64_t number);
void crew_add(struct crew *c, uint64_t nanoseconds, uint64_t asked);

/* ---- for shares: all in the caller's thread ---- */

unsigned crew_workers(const struct crew *c);
const struct crew_job *crew_job_of(const struct crew *c);
struct search_progress crew_progress(const struct crew *c);
uint64_t crew_best(const struct crew *c);       /* the lowest item that failed, UINT64_MAX: none */
void crew_bound(struct crew *c, uint64_t best); /* another rank has found that */
bool crew_stopped(const struct crew *c);
void crew_stop(struct crew *c);                               /* from outside */
void crew_give(struct crew *c, uint64_t first, uint64_t end); /* items to be done here */
uint64_t crew_untaken(struct crew *c);                        /* of what was given */
bool crew_take_done(struct crew *c, uint64_t *first);         /* a share that is completed; each once */
void crew_no_more(struct crew *c);                            /* nothing more will be given */
void crew_report(struct crew *c, uint64_t number, const struct violation *v, const struct trace *t);
/* What was reported so far, of items below the number: item, violation and a copy of the trace. False: nothing. */
bool crew_found(struct crew *c, uint64_t below, struct search_result *r);

#endif
