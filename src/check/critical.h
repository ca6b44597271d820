/* The critical transition: the choice after which what must happen at some time happens no more.
 *
 * From each state on the way to a violation of that kind the network may still come to do what it must (the state is
 * transient), or never again (it is dead). The last choice that leads from the first kind to the second usually has to
 * do with the cause (Killian and others, NSDI 2007; T-Check, 3.4). It is found by binary search: the choices up to a
 * number are made, then probes go on, the first without any choice, the others with a few at random. A state is taken
 * for dead if no probe comes to life.
 *
 * Invariant: the trace that is left leads to the same violation, and what comes after the critical choice is dropped.
 */
#ifndef CHECK_CRITICAL_H
#define CHECK_CRITICAL_H

#include "check/search.h"

enum { CRITICAL_PROBES = 4 }; /* from each state */

struct critical {
    bool found;      /* false: the plain run goes wrong as well, or the search was stopped */
    size_t choice;   /* its number in the trace */
    uint64_t probes; /* how many were run */
};

/* `patience` is the property's, in nanoseconds; `stop` may be NULL. */
void critical_find(struct world *w, const struct search_options *o, uint64_t patience, bool (*stop)(void *context),
                   void *context, struct trace *t, struct violation *v, struct critical *c);

#endif
