/* Motet: energy: what a node has used so far, at any moment of a run.
 *
 * A meter counts from the moment it is put on a node: what each component draws in the state it is in, by a table of
 * currents (docs/monitors.md, energy). Invariant: a meter is made of taps, so it changes nothing; what it says is exact
 * for the very moment, also in callbacks, but for a transmission under way, which counts with 0 dBm until it has ended.
 */
#ifndef MOTET_ENERGY_H
#define MOTET_ENERGY_H

#include "motet/error.h"
#include "motet/node.h"

#include "motet/base/begin.h"

typedef struct motet_meter motet_meter;

/* `table` is a file with currents; NULL: the board's own. NULL with a sentence if there is none. */
motet_meter *motet_meter_new(motet_node *n, const char *table, struct motet_error *e);
void motet_meter_free(motet_meter *m); /* before its node; NULL is allowed */

double motet_meter_millijoules(motet_meter *m);             /* so far */
double motet_meter_milliamp_hours(motet_meter *m);          /* the same as charge */
double motet_meter_largest_milliamps(const motet_meter *m); /* if all components drew their most at once */

#include "motet/base/end.h"

#endif
