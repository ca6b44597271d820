/* Merging: what several nodes logged, as one story in causal order (docs/merging.md).
 *
 * Add each node once: a log of a recording firmware, which is replayed, or an interface log. Then finish, look at the
 * findings, and write the story in one of the formats.
 */
#ifndef MOTET_MERGE_H
#define MOTET_MERGE_H

#include <stdio.h>

#include "motet/error.h"
#include "motet/log.h"
#include "motet/network.h"

#include "motet/base/begin.h"

typedef struct motet_merge motet_merge;

struct motet_merge_options {
    uint64_t delay;  /* most nanoseconds from a send to its receive; 0: 100 ms */
    uint64_t copies; /* most nanoseconds between two copies of one packet; 0: 30 ms */
    bool clockless;  /* the nodes' times are of no use: only the order counts */
    bool payloads;   /* interface logs are among them, which have no headers of frames: payloads are compared */
};

motet_merge *motet_merge_new(const struct motet_merge_options *o);
void motet_merge_free(motet_merge *m);

/* Begins a node; `log` names its file. False if another log is of the same node. */
bool motet_merge_node(motet_merge *m, uint32_t id, const char *log, struct motet_error *e);

/* What is taken from a replay: the frames that its radio sent and received, and calls of these functions. */
struct motet_merge_replay {
    const char *time;         /* the firmware's own clock, EXPRESSION/HZ; NULL: cycles executed */
    const char *const *calls; /* functions whose calls are events, too */
    size_t call_count;
    bool together; /* it will be replayed together with the others (motet_merge_plan) */
    bool starts;   /* it begins with a start of the firmware, not with a checkpoint */
    bool lost;     /* something is missing before it */
};

/* Runs a network of one node that replays a log to its end; motet_node_replay says how that was. False if its board's
 * radio is not one whose frames can be recognised, or a name is not one of the firmware's. */
bool motet_merge_add_replay(motet_merge *m, motet_network *n, const struct motet_merge_replay *r,
                            struct motet_error *e);

/* All of an interface log as a node, whose id it holds (motet_interface_is_log). */
bool motet_merge_add_interface(motet_merge *m, const char *path, struct motet_error *e);

void motet_merge_finish(motet_merge *m); /* after all nodes */

/* After finishing: makes a machine that replays the same log as the node with that number, counted from 0, keep global
 * time. Nodes of such machines in one network, booted at 0, go through their logs together: none receives a packet
 * before it is sent. For a machine without nodes. */
void motet_merge_plan(motet_merge *m, uint32_t number, motet_machine *machine);

struct motet_merge_summary {
    uint32_t nodes, events, sends, copies, receives, matched, weaker, undecided, beyond, strangers, lost;
    uint32_t reference;   /* id of the node whose clock all times are in */
    uint64_t uncertainty; /* of the other clocks, nanoseconds at most */
    uint64_t moved;       /* by how much the order of messages moved an event at most */
    size_t findings;
    uint64_t first, last; /* times of the first and the last event */
};
void motet_merge_summary(const motet_merge *m, struct motet_merge_summary *s);

/* What is wrong with the logs, as a sentence; false past the last. */
bool motet_merge_finding(const motet_merge *m, size_t number, char *text, size_t size);

enum motet_merge_format {
    MOTET_MERGE_TEXT,
    MOTET_MERGE_JSON, /* a line for each event, with its vector clock */
    MOTET_MERGE_SHIVIZ,
    MOTET_MERGE_PERFETTO,
    MOTET_MERGE_SVG,
    MOTET_MERGE_HTML, /* a page that needs nothing else */
    MOTET_MERGE_FORMATS,
};
const char *motet_merge_format_name(enum motet_merge_format f);

/* Events from one global time to another. False if it could not all be written. */
bool motet_merge_write(const motet_merge *m, enum motet_merge_format f, uint64_t from, uint64_t until, FILE *to);

/* ---- while logs are still being written ---- */

/* Interface logs as they come in, each a feed of bytes, written as one story: lines of text or JSON. What has been
 * written is never changed: the order only grows. */
typedef struct motet_follow motet_follow;

struct motet_follow_options {
    size_t feeds;
    const char *const *names; /* of the feeds, for messages */
    uint64_t delay;           /* as in motet_merge_options */
    uint64_t patience;        /* nanoseconds for which a feed that is silent is waited for; 0: 2 s */
    bool json;
    FILE *to;
};

motet_follow *motet_follow_new(const struct motet_follow_options *o);
void motet_follow_free(motet_follow *f);

/* Bytes of a feed, at a time of the host in nanoseconds, above 0. False, with a sentence, if they are no interface log,
 * or that of a node that another feed is of. */
bool motet_follow_take(motet_follow *f, size_t feed, const void *bytes, size_t size, uint64_t now,
                       struct motet_error *e);
void motet_follow_end(motet_follow *f, size_t feed);   /* it has no more */
void motet_follow_pass(motet_follow *f, uint64_t now); /* writes what is certain by now */
void motet_follow_finish(motet_follow *f);             /* writes all that is left */

struct motet_follow_summary {
    uint64_t nodes, events, sends, receives, matched, undecided, unknown;
    uint64_t late; /* sends that came in when what received them had been written */
};
void motet_follow_summary(const motet_follow *f, struct motet_follow_summary *s);

#include "motet/base/end.h"

#endif
