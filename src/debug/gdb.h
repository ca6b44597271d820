/* gdb: a server of gdb's remote protocol over the timeline of a node or of a whole network, forward and backward.
 *
 * Each node is a process of the protocol (an inferior of gdb's) with one thread. All nodes share one clock: whichever
 * of them a debugger resumes, time passes for all.
 *
 * Invariant: looking changes nothing. What a debugger changes (registers, memories) is an input of the timeline: undone
 * by going back before it and done again by going forward. Whatever arrives on the connection, the server stays alive
 * and answers or ignores it.
 */
#ifndef DEBUG_GDB_H
#define DEBUG_GDB_H

#include <stddef.h>

#include "node/node.h"
#include "timeline/timeline.h"

struct gdb;
struct network;

enum gdb_end { GDB_DETACHED, GDB_KILLED, GDB_CLOSED };

/* What is debugged, and who puts into words what only others know. */
struct gdb_target {
    struct network *network;     /* NULL: one node alone */
    const struct subject *told;  /* how they are executed; NULL: by themselves */
    struct node *const *nodes;   /* of one instruction set or several; the first one's debugger is expected */
    uint32_t count;              /* in the network's order */
    uint64_t until;              /* ticks of the subject: where a run ends by itself; TIMELINE_NEVER */
    struct timeline_actor actor; /* or none */
    size_t memory;               /* bytes for going back */
    void *context;
    size_t (*explain)(void *context, uint32_t node, char *text, size_t size); /* a node's last fault; may be NULL */
    size_t (*where)(void *context, uint32_t node, char *text, size_t size);   /* its call chain; may be NULL */
};

/* The target as it is is the beginning of history. */
struct gdb *gdb_new(const struct gdb_target *t);
void gdb_free(struct gdb *g);
struct timeline *gdb_timeline(struct gdb *g);

/* Serves one debugger on a connected socket until it leaves. The target stays where it was left. */
enum gdb_end gdb_serve(struct gdb *g, int fd);

/* A transmission has ended on the air, perhaps again. */
struct airlog_packet;
void gdb_heard(struct gdb *g, const struct airlog_packet *p);

#endif
