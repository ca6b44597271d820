#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "debug/gdb.h"
#include "record/replay.h"
#include "timeline/timeline.h"

struct motet_debugger {
    struct gdb *gdb;
    motet_node *node;
};

_Static_assert((int)MOTET_DEBUG_CLOSED == (int)GDB_CLOSED, "public and internal reasons agree");

static size_t explain(void *context, char *text, size_t size)
{
    const motet_node *n = context;
    const struct motet_fault *f = motet_node_fault(n);
    if (n->node->state->exit == NODE_EXIT_LOG) {
        replay_explain(n->node, text, size - 1);
        strcat(text, "\n");
        return strlen(text);
    }
    return f ? motet_node_explain(n, f, text, size) : 0;
}

motet_debugger *motet_debugger_new(motet_node *n, size_t memory)
{
    motet_debugger *d = calloc(1, sizeof *d);
    if (!d)
        abort();
    d->node = n;
    d->gdb = gdb_new(n->node, memory ? memory : TIMELINE_MEMORY, explain, n);
    return d;
}

void motet_debugger_free(motet_debugger *d)
{
    if (!d)
        return;
    gdb_free(d->gdb);
    free(d);
}

enum motet_debug_end motet_debugger_serve(motet_debugger *d, int socket)
{
    return (enum motet_debug_end)gdb_serve(d->gdb, socket);
}
