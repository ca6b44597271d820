/* Monitors: what is often asked of a run, each by a name: profiles, timings, traces, coverage.
 *
 * A monitor puts taps (motet/watch.h) on every node it is attached to, keeps what it finds for each node apart, in the
 * node's thread, and writes it when the run is over, node by node in the order of their ids. Invariants: a run with any
 * monitors has the digest and the cycle counts of one without; what is written depends on the run alone and not on the
 * number of threads; monitors are written on the public interface and see nothing that others could not.
 */
#ifndef MOTET_MONITOR_H
#define MOTET_MONITOR_H

#include <stdio.h>

#include "motet/error.h"
#include "motet/network.h"
#include "motet/node.h"

#include "motet/base/begin.h"

/* ---- what there is ---- */

struct motet_monitor_info {
    const char *name;
    const char *about; /* in a few words */
};
bool motet_monitor(size_t number, struct motet_monitor_info *info); /* false past the last */

struct motet_monitor_option {
    const char *name;
    const char *argument; /* what is given, as help names it */
    const char *about;
};
/* Options of a monitor, `file` and `format` which all of them have included; false past the last. */
bool motet_monitor_option(size_t monitor, size_t number, struct motet_monitor_option *o);

/* The forms in which it can be written, "text" first where it has that; false past the last. */
bool motet_monitor_format(size_t monitor, size_t number, const char **name, const char **about);

/* ---- a set of them, for the nodes of a network ---- */

typedef struct motet_monitors motet_monitors;
motet_monitors *motet_monitors_new(void);
void motet_monitors_free(motet_monitors *s); /* after its nodes have run for the last time; NULL is allowed */

/* "profile", "profile:format=callgrind,file=out.%id". False for a name or an option that does not exist. `file` may
 * have %id in its name, for the id of the node. */
bool motet_monitors_add(motet_monitors *s, const char *text, struct motet_error *e);
size_t motet_monitors_count(const motet_monitors *s);

/* The time of what is found on a node is that of its firmware's own clock, as in a replay, where no time passes in
 * sleep: "EXPRESSION/HZ", a C expression and how often it counts a second, such as ticks/32768. Comes before what is
 * attached to that node. */
bool motet_monitors_clock(motet_monitors *s, motet_node *n, const char *clock, struct motet_error *e);

/* Puts all of them on all nodes of a network, before it runs. Several networks of one, one after the other, are taken
 * for pieces of one life, such as the parts of a log. False if an option has a value that makes no sense there, or a
 * file cannot be written: nothing is written then. */
bool motet_monitors_attach_network(motet_monitors *s, motet_network *n, struct motet_error *e);

/* When the run is over, once, while the nodes still are: what was found, into files where they were given, the rest to
 * `out`. `json` is the default of `format`: a line of JSON for each monitor and node. */
bool motet_monitors_write(motet_monitors *s, FILE *out, bool json, struct motet_error *e);

#include "motet/base/end.h"

#endif
