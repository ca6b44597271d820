/* gdb: a server of gdb's remote protocol over a node's timeline, forward and backward.
 *
 * Invariant: looking changes nothing. What a debugger changes (registers, memory) is an input of the timeline: undone
 * by going back before it and done again by going forward. Whatever arrives on the connection, the server stays alive
 * and answers or ignores it.
 */
#ifndef DEBUG_GDB_H
#define DEBUG_GDB_H

#include <stddef.h>

#include "node/node.h"

struct gdb;

enum gdb_end { GDB_DETACHED, GDB_KILLED, GDB_CLOSED };

/* Puts the node's last fault into words; returns the length. */
typedef size_t gdb_explain(void *context, char *text, size_t size);

/* The node as it is is the beginning of history; `memory` bytes are for going back. */
struct gdb *gdb_new(struct node *n, size_t memory, gdb_explain *explain, void *context);
void gdb_free(struct gdb *g);

/* Serves one debugger on a connected socket until it leaves. The node stays where it was left. */
enum gdb_end gdb_serve(struct gdb *g, int fd);

#endif
