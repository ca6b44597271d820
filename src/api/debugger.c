#include <stdlib.h>
#include <string.h>

#include "api/handles.h"
#include "api/recording.h"
#include "api/retold.h"
#include "debug/airlog.h"
#include "debug/gdb.h"
#include "motet/debug.h"
#include "record/replay.h"
#include "timeline/timeline.h"

struct motet_debugger {
    struct gdb *gdb;
    motet_network *network; /* or NULL */
    uint32_t count;
    struct node **nodes;
    motet_node *alone;
};

_Static_assert((int)MOTET_DEBUG_CLOSED == (int)GDB_CLOSED, "public and internal reasons agree");
_Static_assert(MOTET_NEVER == TIMELINE_NEVER, "public and internal times agree");

static const motet_node *handle(const motet_debugger *d, uint32_t node)
{
    return d->network ? motet_network_at(d->network, node) : d->alone;
}

static size_t explain(void *context, uint32_t node, char *text, size_t size)
{
    const motet_node *n = handle(context, node);
    const struct motet_fault *f = motet_node_fault(n);
    if (n->node->state->exit == NODE_EXIT_LOG) {
        replay_explain(n->node, text, size - 1);
        strcat(text, "\n");
        return strlen(text);
    }
    return f ? motet_node_explain(n, f, text, size) : 0;
}

static size_t where(void *context, uint32_t node, char *text, size_t size)
{
    return motet_node_where(handle(context, node), text, size);
}

static void on_radio(void *context, const struct motet_transmission *t)
{
    const motet_debugger *d = context;
    struct airlog_packet p = {t->begun, t->ended, t->sender, t->count, t->bytes};
    gdb_heard(d->gdb, &p);
}

static motet_debugger *debugger(motet_node *alone, motet_network *n, const struct subject *told,
                                const struct motet_debug_options *o)
{
    motet_debugger *d = calloc(1, sizeof *d);
    if (!d)
        abort();
    d->network = n;
    d->alone = alone;
    d->count = n ? (uint32_t)motet_network_count(n) : 1;
    d->nodes = calloc(d->count, sizeof *d->nodes);
    if (!d->nodes)
        abort();
    for (uint32_t i = 0; i < d->count; i++)
        d->nodes[i] = handle(d, i)->node;
    struct gdb_target t = {
        .network = n ? network_of(n) : NULL,
        .told = told,
        .nodes = d->nodes,
        .count = d->count,
        .until = o->until,
        .actor = {o->actor.context, o->actor.next, o->actor.act},
        .memory = o->memory ? o->memory : TIMELINE_MEMORY,
        .context = d,
        .explain = explain,
        .where = where,
    };
    d->gdb = gdb_new(&t);
    if (n)
        motet_network_listen(n, on_radio, d);
    return d;
}

motet_debugger *motet_debugger_new(motet_node *n, const struct motet_debug_options *o)
{
    return debugger(n, NULL, NULL, o);
}

motet_debugger *motet_debugger_of_network(motet_network *n, const struct motet_debug_options *o)
{
    return debugger(NULL, n, NULL, o);
}

motet_debugger *motet_debugger_of_recording(motet_recording *r, size_t memory, uint64_t at)
{
    recording_rewind(r);
    struct subject told = subject_of_recording(r);
    struct motet_debug_options o = {.memory = memory, .until = recording_until(r)};
    motet_debugger *d = debugger(r->story.node, r->story.network, &told, &o);
    recording_lend(r, gdb_timeline(d->gdb), told.context);
    if (at)
        timeline_seek(gdb_timeline(d->gdb), at);
    return d;
}

void motet_debugger_free(motet_debugger *d)
{
    if (!d)
        return;
    gdb_free(d->gdb);
    free(d->nodes);
    free(d);
}

enum motet_debug_end motet_debugger_serve(motet_debugger *d, int socket)
{
    return (enum motet_debug_end)gdb_serve(d->gdb, socket);
}
