/* Rewriting for interface logs: a preprocessed C file in which calls over the boundary of a component go through
 * wrappers (wrappers.h), and reads of what code outside may change are logged (owned.h).
 *
 * Only text is inserted. Invariant: code outside that is in other files needs no change: where it calls a function
 * inside by its name, that is the wrapper's. Every source, inside or not, lets the logger work before it sleeps.
 */
#ifndef REWRITE_INTERFACE_H
#define REWRITE_INTERFACE_H

#include "rewrite/component.h"
#include "rewrite/instrument.h"

/* `source` is the file as the user knows it, with code of one of the components at most. `r->sites` stays empty;
 * r->functions counts wrappers. */
bool interface_rewrite(const char *path, const char *source, const struct instrument_options *o, struct component *c,
                       size_t count, struct instrumented *r, struct motet_error *e);

#endif
