/* Minimising: from the choices that led to a violation to few that still do.
 *
 * First nodes are left out, if walks of few nodes lead to the violation. Choices are dropped by source, then by delta
 * debugging (Zeller and Hildebrandt, TSE 2002), until none can be dropped by itself. Then suffixes are walked anew from
 * each change point, with fewer choices and most of them on the node that failed (T-Check, 3.5); a shorter way found
 * like this is minimised again. Where many choices are left, only the last are tried at other times of the plain run,
 * then short walks from there, then other walks. At last ways are looked for on which less time passes between the
 * first choice and the violation, also if they have up to three choices instead of one; choices are made sooner, and
 * amounts smaller.
 *
 * Invariant: the result leads to the same violation without the nodes that are left out, and no single choice of it can
 * be left out. It is a function of what is given, not of the time it takes.
 */
#ifndef CHECK_MINIMISE_H
#define CHECK_MINIMISE_H

#include "check/search.h"

struct minimise_options {
    unsigned rewalks;            /* suffixes that are walked anew, at most; 0: none */
    bool (*stop)(void *context); /* asked between runs; true ends it with what there is; may be NULL */
    void *context;
};

struct minimise_work {
    uint64_t runs;
    size_t before;  /* choices given */
    uint64_t plain; /* nanosecond at which the plain run has the same error, while choices bring it sooner; or 0 */
    struct trace left_out; /* nodes, as choices of CHOICE_BOOT; for the caller to free */
};

/* Replaces trace and violation by smaller ones, of the same kind. */
void minimise(struct world *w, const struct search_options *o, const struct minimise_options *m, struct trace *t,
              struct violation *v, struct minimise_work *work);

#endif
