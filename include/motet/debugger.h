/* The server of gdb's remote protocol. */
#ifndef MOTET_DEBUGGER_H
#define MOTET_DEBUGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "motet/base/types.h"
#include "motet/error.h"
#include "motet/network.h"
#include "motet/node.h"

#include "motet/base/begin.h"

/* The calls that led to where the node is, a line each; returns the length. */
size_t motet_node_where(const motet_node *n, char *text, size_t size);

/* A server of gdb's remote protocol for a network, forward and backward. What it is given, as it is, is the
 * beginning of history; from then on it is the debugger's until motet_debugger_free. Observers see again what is
 * executed again. */
typedef struct motet_debugger motet_debugger;
enum motet_debug_end { MOTET_DEBUG_DETACHED, MOTET_DEBUG_KILLED, MOTET_DEBUG_CLOSED };

/* An actor changes what is debugged at times it chooses: `next` says when (in nanoseconds; MOTET_NEVER for no more),
 * `act` does all that is due. Each time is asked for once; what was done then is repeated by itself. */
struct motet_actor {
    void *context;
    uint64_t (*next)(void *context);
    void (*act)(void *context);
};

struct motet_debug_options {
    size_t memory;            /* bytes for snapshots to go back to; 0: 256 MB */
    uint64_t until;           /* where running ends by itself, in nanoseconds; MOTET_NEVER */
    struct motet_actor actor; /* without `act`: none */
};

motet_debugger *motet_debugger_of_network(motet_network *n, const struct motet_debug_options *o);
void motet_debugger_free(motet_debugger *d);

/* Serves one debugger on a connected socket until it leaves. */
enum motet_debug_end motet_debugger_serve(motet_debugger *d, int socket);

#include "motet/base/end.h"

#endif
