/* What a monitor is made of, and what all of them share.
 *
 * A monitor is a table: how it is put on a node, and the forms in which what it found can be written. Its state is one
 * allocation for each node, reached by its own taps and by nothing else; it is written and freed after the run. What
 * grows with the run is in spools, not in memory. All of src/monitor includes motet's public headers, its own, and the
 * writers of formats in src/export, which know of no node.
 */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/spool.h"
#include "motet/monitor.h"
#include "motet/motet.h"
#include "motet/watch.h"

struct monitor_arguments; /* the options as given */

/* Where a monitor is attached. Lives as long as the monitor's state. */
struct monitor_site {
    motet_node *node;
    const motet_machine *machine;
    motet_network *network;
    bool several; /* the network has more nodes: what is written says which it is of */
    const struct monitor_arguments *arguments;
    motet_replay_clock *clock; /* the firmware's own, or NULL */
    struct spool_file *spool;  /* for what grows with the run */
};

/* One form of the findings. In "json" it writes members, each after a comma, of an object that is begun and ended by
 * the caller: `, "calls": 3`. */
struct monitor_format {
    const char *name, *about;
    void (*write)(void *state, FILE *out); /* NULL: see `together` */
    bool alone; /* a file of it holds one node only: a network's nodes need %id in its name */
};

struct monitor {
    const char *name, *about;
    const struct motet_monitor_option *options; /* its own; the last has no name. NULL: none */
    const struct monitor_format *formats;       /* the last has no name */

    /* Puts the taps on. NULL with a sentence if an option's value is wrong. */
    void *(*attach)(const struct monitor_site *site, struct motet_error *e);

    /* The node has run for the last time and still is: what is left to count. May be NULL. */
    void (*finish)(void *state);
    void (*free)(void *state); /* NULL: free() will do */

    /* Writes formats without a `write`, by name: all nodes that go to one file, in the order of their ids; for what
     * puts them into one order or one picture. Nothing is written around it but, in "text", a title. */
    void (*together)(void *const *states, size_t count, const char *format, FILE *out);
};

extern const struct monitor *const monitors[]; /* NULL at the end */

/* ---- options ---- */

/* The value of an option, NULL if it was not given. Of one given many times, the one by number. */
const char *monitor_option(const struct monitor_site *site, const char *name);
const char *monitor_option_at(const struct monitor_site *site, const char *name, size_t number);

/* Numbers and times (10s, 1.5ms, 200us in ticks; @N for N ticks); `value` keeps what it has if it was not given. */
bool monitor_number(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e);
bool monitor_ticks(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e);

/* The same time in nanoseconds, to compare with monitor_time. */
bool monitor_nanoseconds(const struct monitor_site *site, const char *name, uint64_t *value, struct motet_error *e);

/* A stretch of time such as 30s-50s, in seconds. */
bool monitor_stretch(const struct monitor_site *site, const char *name, double *from, double *to,
                     struct motet_error *e);

/* ---- for all ---- */

bool monitor_sentence(struct motet_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list with zeros after its elements, long enough for the element with a number. */
void *monitor_reaching(void *list, size_t *room, size_t number, size_t size);

/* Nanoseconds of a node's tick: of the network's clock, or of the firmware's clock if that was asked for. To be asked
 * when it happens: a node that is switched off and on counts its ticks anew. */
uint64_t monitor_time(const struct monitor_site *site, uint64_t tick);
double monitor_seconds(const struct monitor_site *site, uint64_t ticks); /* a span of the node's ticks */

void monitor_json_string(FILE *out, const char *text); /* with its quotes */

/* Cycles that the CPU has run, and the node's ticks. Both go on for the devices for a moment after the firmware's end,
 * which is not counted. */
uint64_t monitor_cycles(const motet_node *n);
uint64_t monitor_now(const motet_node *n);

#endif
