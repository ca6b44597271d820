/* Exhaustive searches: every run in which the first so many choices go any way, to the end of a time.
 *
 * A choice here is a frame at a receiver: delivered, lost, damaged, as far as its weight is not 0; or a conversion, if
 * its line has a set of voltages: what is there, or one of the set; or what else the search was asked for
 * (check/outcomes.h). Time is divided by instants, all as far apart. What has times of its own happens at an instant.
 * The search goes from instant to instant, depth first. At each it asks whether a state with the same futures was
 * explored before (check/seen.h); if so, it need not go on. What a state's futures read is known when all of them were
 * explored: a stretch from one instant to the next reads some bytes first, and writes others first, which its later
 * futures then cannot read from before.
 *
 * Some of the matched states are explored all the same. If one reads what it should not, or goes wrong, matching itself
 * is wrong, and the result says so.
 *
 * Properties read variables too, in copies that were made when nodes were quiet. What they have read, in the copies and
 * in the variables, counts as read by every state's futures. A property that reads something else (flash memory) keeps
 * states from being matched. Other choices are left out; the result says so.
 *
 * Invariant: the violation found is the first in the order of enumeration, the one that plain enumeration finds,
 * whatever the number of workers and with or without matching (but for bitstate hashing, which the result names).
 */
#ifndef CHECK_EXHAUST_H
#define CHECK_EXHAUST_H

#include "check/search.h"
#include "check/seen.h"

#define EXHAUST_STEP UINT64_C(250000000) /* nanoseconds between two instants, usually */

struct exhaust_options {
    unsigned depth;
    uint64_t step; /* nanoseconds between two instants */
    bool matching;
    size_t memory;    /* bytes for states */
    unsigned also;    /* a bit 1 << source for each source beside frames and conversions */
    unsigned recheck; /* of so many states that were matched one is explored all the same; 0: none */
};

struct exhaust_work {
    uint64_t runs;             /* stretches from one instant to the next that were executed */
    bool matched;              /* states were compared */
    uint64_t rechecked, wrong; /* matched states that were explored all the same, and those that differed */
    struct seen_work seen;
};

bool exhaust_run(const struct search_options *o, const struct exhaust_options *x, const struct subjects *s,
                 search_stop *stop, void *context, struct search_result *r, struct exhaust_work *work,
                 struct motet_error *e);

#endif
