/* Searches by deviations: all runs that depart from the plain one at most once, then at most twice, and so on.
 *
 * The plain run from the steady state is executed and every occasion for a choice is listed. Each outcome of each
 * occasion makes another run, whose own later occasions are taken for the next deviation. So the first violation that
 * is found has the fewest deviations.
 *
 * What can come up at any time is taken where it can matter: a channel is busy just before a frame is sent; an
 * interrupt is held where another one of the node comes soon after it, for just so long; a node is reset or loses power
 * at times a quarter of a second apart, dies at times five seconds apart, is switched on later by tenths of a second.
 * The result says so: what lies in between was not tried.
 *
 * Invariant: the result is the first in the order of enumeration, whatever the number of workers.
 */
#ifndef CHECK_DEVIATE_H
#define CHECK_DEVIATE_H

#include "check/search.h"

/* Tries none, then `first` (with o->first of the first deviations left out) up to `limit`. `tried`: all runs with so
 * many were tried, and none went wrong. */
bool deviate_run(const struct search_options *o, unsigned first, unsigned limit, const struct subjects *s,
                 search_stop *stop, void *context, struct search_result *r, unsigned *tried, struct motet_error *e);

/* The occasions of a run that come after a choice (NULL: all), in the order of their times, each as the choice that
 * departs from the default there. `asked` is what came up. */
void deviate_occasions(const struct network *n, const struct search_options *o, const struct trace *asked,
                       const struct choice *after, struct trace *occasions);

#endif
