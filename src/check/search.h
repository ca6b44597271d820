/* Searches by walks: many of them, from a few steady states, for the first that goes wrong.
 *
 * One of five walks is guided by what it reaches (check/reach.h). While it comes to code or to coarse states that are
 * new, it goes on. When it has seen nothing new for a while it goes back to where it last did, and draws other choices
 * from there. So it takes several steps in a row of which each is rare. Nothing is pruned: the other walks go on as
 * ever, and a guided walk takes as much simulated time as they do.
 *
 * Invariant: walk number i is a function of the options and of i.
 */
#ifndef CHECK_SEARCH_H
#define CHECK_SEARCH_H

#include "check/crew.h"
#include "check/reach.h"

enum { SEARCH_VARIANTS = 4 }; /* of delays at the beginning; the first has none */
enum { SEARCH_AIMED = 3 };    /* one of so many walks has interrupts at sites */
enum { SEARCH_GUIDED = 5 };   /* one of so many walks is guided by what it reaches */
enum { SEARCH_STALLED = 3 };  /* in one of so many later walks nodes wait for long with what they send */
enum { SEARCH_LATER = 60 };   /* the first of these */
enum { SEARCH_EARLY = 4 };    /* one of so many walks begins before the steady state, if some may */

struct search_options {
    uint64_t seed;
    uint64_t first, walks;   /* the first ones were walked before */
    uint64_t steady, length; /* nanoseconds: to the steady state, and of a walk from where it begins */
    bool early;              /* some walks begin before the steady state */
    enum walk_kind kind;
    unsigned workers;
    const struct ranks *ranks; /* that share the search, or NULL */
    struct weights weights;
    struct shared_sites *aims;  /* for some of the walks, whose interrupts also come at their sites; or NULL */
    struct shared_reach *reach; /* what walks have reached, and that guides some of them; NULL: none is guided */
};

bool search_run(const struct search_options *o, const struct subjects *s, search_stop *stop, void *context,
                struct search_result *r, struct motet_error *e);

/* The seed of a walk, and of the delays before it. */
uint64_t search_seed(const struct search_options *o, uint64_t walk);

/* Where a walk begins to make choices: at the steady state or, some of them, at a half of it down to a thirtieth. A
 * network that has just been switched on does what it will not do again for long. */
uint64_t search_begin(const struct search_options *o, uint64_t walk);

/* Runs the choices again from the beginning, to the time or the first violation. What was chosen indeed replaces
 * `taken` (may be NULL). */
struct violation search_replay(struct world *w, const struct search_options *o, const struct trace *t, uint64_t until,
                               struct trace *taken);

#endif
