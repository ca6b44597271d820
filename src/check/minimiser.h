/* Inside minimising (check/minimise.h): what its steps share.
 *
 * Invariant: `best` leads to `violation` in the network without the nodes that the world leaves out.
 */
#ifndef CHECK_MINIMISER_H
#define CHECK_MINIMISER_H

#include "check/minimise.h"

#define MINIMISE_SLACK UINT64_C(500000000) /* nanoseconds: so much later the violation may come */

struct minimiser {
    struct world *world;
    const struct search_options *o;
    const struct minimise_options *m;
    struct trace best;
    struct violation violation;
    uint64_t earliest, slack; /* nanoseconds: with fewer choices the violation comes not before, nor so much later */
    struct minimise_work *work;
};

bool minimise_stops(const struct minimiser *m);

/* These choices were taken and have led to the violation: they are the best so far. */
void minimise_accept(struct minimiser *m, const struct violation *v, const struct trace *taken);

/* Whether these choices still lead to the violation; then they are the best so far, without those that had no effect.
 */
bool minimise_try(struct minimiser *m, const struct trace *t);

/* By delta debugging, until no choice can be left out. */
void minimise_drop_all(struct minimiser *m);

/* ---- nodes ---- */

/* Leaves out nodes if walks of the smaller network lead to the violation; what they have chosen is the best then. */
void minimise_nodes(struct minimiser *m);

/* ---- time ---- */

/* The plain run from the steady state on, nodes switched on with these delays. */
struct plain_run {
    struct trace delays;
    struct moment **moments;
    uint64_t step; /* nanoseconds between two of them */
    size_t count;
    uint64_t end; /* nothing has gone wrong before */
    bool fails;   /* then it has the violation itself */
};
/* `p` has the delays and nothing else. */
void plain_run_make(struct minimiser *m, uint64_t length, uint64_t step, struct plain_run *p);
void plain_run_free(struct plain_run *p);

/* Looks for ways on which less time passes between the first choice and the violation. */
void minimise_span(struct minimiser *m);

/* The same choices as soon after the steady state as they lead to it: less happens until then. */
void minimise_hasten(struct minimiser *m);

#endif
