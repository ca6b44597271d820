#include "gdb/gdb.h"

#include <stdlib.h>
#include <string.h>

#include "gdb/agent.h"
#include "motet/debug.h"

struct motet_debugger {
    struct gdb gdb;
};

void gdb_look_at(struct gdb *g, uint32_t number)
{
    g->at = number;
    g->node = g->nodes[number].node;
    g->machine = g->nodes[number].machine;
}

uint32_t gdb_address_of_data(const struct gdb *g, uint32_t data)
{
    struct motet_memory_info info;
    return motet_node_memory(g->node, MOTET_MEMORY_DATA, &info) ? info.start + data : data;
}

bool gdb_knows(const struct gdb *g, const motet_machine *m, uint32_t node)
{
    const motet_machine *other = g->nodes[node].machine;
    return strcmp(motet_machine_architecture(other), motet_machine_architecture(m)) == 0 &&
           (!g->one_firmware || strcmp(motet_machine_path(other), motet_machine_path(m)) == 0);
}

bool gdb_give(struct gdb *g, struct motet_input i)
{
    return motet_timeline_give(g->timeline, g->at, &i);
}

/* ---- life ---- */

static void gdb_leave(struct gdb *g, enum motet_debug_end end)
{
    g->ended = true;
    g->end = end;
}

/* ";2": the process, in hexadecimal; none is all of them. Lets go of it; true if none is left. */
static bool let_go(struct gdb *g, const char *which)
{
    uint64_t process;
    bool left = false;
    if (*which++ != ';' || !packet_number(&which, UINT32_MAX, &process))
        return true;
    for (uint32_t i = 0; i < g->count; i++) {
        if (i + 1 == process) {
            gdb_forget_breakpoints(g, i);
            g->nodes[i].away = true;
        }
        left |= !g->nodes[i].away;
    }
    return !left;
}

static void verbose(struct gdb *g, const char *packet)
{
    if (strncmp(packet, "vKill", 5) == 0) {
        bool none_left = let_go(g, packet + 5);
        packet_reply(&g->packets, "OK");
        if (!g->extended && none_left)
            gdb_leave(g, MOTET_DEBUG_KILLED);
    } else if (strncmp(packet, "vRun", 4) == 0) {
        gdb_restart(g);
        packet_reply(&g->packets, g->stop);
    } else if (!gdb_flash(g, packet) && !gdb_file(g, packet)) {
        packet_reply(&g->packets, "");
    }
}

static void detach(struct gdb *g, const char *packet)
{
    bool none_left = let_go(g, packet + 1);
    packet_reply(&g->packets, "OK");
    if (none_left)
        gdb_leave(g, MOTET_DEBUG_DETACHED);
}

static void gdb_command(struct gdb *g, const char *packet)
{
    if (gdb_resume(g, packet) || gdb_threads(g, packet) || gdb_memory(g, packet))
        return;
    switch (packet[0]) {
    case '?': packet_reply(&g->packets, g->stop); break;
    case '!':
        g->extended = true;
        packet_reply(&g->packets, "OK");
        break;
    case 'D': detach(g, packet); break;
    case 'k':
        if (!g->extended)
            gdb_leave(g, MOTET_DEBUG_KILLED);
        break;
    case 'R': gdb_restart(g); break; /* has no reply */
    case 'v': verbose(g, packet); break;
    default:
        if (!gdb_query(g, packet))
            packet_reply(&g->packets, "");
    }
}

static bool gdb_interrupted(void *context)
{
    struct gdb *g = context;
    return g->served && packet_interrupts(&g->packets);
}

/* Whether one of a breakpoint's conditions holds. What cannot be evaluated does: gdb then looks for itself. */
static bool gdb_holds(struct gdb_node *n, const struct gdb_breakpoint *b)
{
    int64_t value;
    for (size_t at = 0; at < b->size;) {
        size_t length = (size_t)b->conditions[at] << 8 | b->conditions[at + 1];
        if (!agent_evaluate(n->node, b->conditions + at + 2, length, &value) || value)
            return true;
        at += 2 + length;
    }
    return b->size == 0;
}

static bool gdb_counts(void *context, uint32_t node)
{
    struct gdb_node *n = &((struct gdb *)context)->nodes[node];
    uint32_t pc = motet_node_pc(n->node);
    for (unsigned i = 0; i < n->breakpoints; i++)
        if (n->breakpoint[i].address == pc)
            return gdb_holds(n, &n->breakpoint[i]);
    return true;
}

void gdb_show_nodes(struct gdb *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        g->nodes[i].away = !gdb_knows(g, g->nodes[0].machine, i);
        g->nodes[i].moves = true;
    }
    gdb_look_at(g, 0);
    g->resumed = g->chosen = g->count;
}

/* ---- the public face ---- */

static struct motet_timeline_options gdb_options(motet_debugger *d, size_t memory, struct motet_actor actor)
{
    return (struct motet_timeline_options){memory, actor, gdb_interrupted, &d->gdb};
}

static motet_debugger *gdb_debug(motet_debugger *d, motet_timeline *t, uint64_t until)
{
    struct gdb *g = &d->gdb;
    g->timeline = t;
    g->until = until;
    g->count = motet_timeline_count(t);
    g->nodes = memory_array(g->count, sizeof *g->nodes);
    for (uint32_t i = 0; i < g->count; i++) {
        g->nodes[i].node = motet_timeline_node(t, i);
        g->nodes[i].machine = motet_node_machine(g->nodes[i].node);
    }
    gdb_show_nodes(g);
    motet_timeline_filter(t, gdb_counts, g);
    return d;
}

motet_debugger *motet_debugger_of_network(motet_network *n, const struct motet_debug_options *o)
{
    motet_debugger *d = memory_new(sizeof(motet_debugger));
    struct motet_timeline_options how = gdb_options(d, o->memory, o->actor);
    return gdb_debug(d, motet_timeline_of_network(n, &how), o->until);
}

motet_debugger *motet_debugger_of_saved_run(motet_saved_run *r, size_t memory, uint64_t at)
{
    motet_debugger *d = memory_new(sizeof(motet_debugger));
    struct motet_timeline_options how = gdb_options(d, memory, (struct motet_actor){.act = NULL});
    motet_timeline *t = motet_timeline_of_saved_run(r, &how);
    if (at)
        motet_timeline_seek(t, at);
    return gdb_debug(d, t, motet_timeline_until(t));
}

void motet_debugger_free(motet_debugger *d)
{
    if (!d)
        return;
    struct gdb *g = &d->gdb;
    gdb_condition_forget(g);
    for (uint32_t i = 0; i < g->count; i++) {
        gdb_forget_breakpoints(g, i);
        free(g->nodes[i].breakpoint);
    }
    motet_timeline_free(g->timeline);
    free(g->flash);
    free(g->flash_written);
    free(g->nodes);
    free(d);
}

enum motet_debug_end motet_debugger_serve(motet_debugger *d, int socket)
{
    struct gdb *g = &d->gdb;
    g->packets = (struct packets){.fd = socket};
    g->served = true;
    g->ended = g->extended = g->multiprocess = g->one_firmware = false;
    gdb_show_nodes(g);
    gdb_describe_stop(g, "", SIGNAL_TRAP);
    while (!g->ended)
        switch (packet_receive(&g->packets)) {
        case PACKET_COMMAND: gdb_command(g, g->packets.packet); break;
        case PACKET_INTERRUPT: packet_reply(&g->packets, g->stop); break;
        case PACKET_CLOSED: gdb_leave(g, MOTET_DEBUG_CLOSED); break;
        }
    g->served = false;
    gdb_condition_forget(g);
    for (uint32_t i = 0; i < g->count; i++)
        gdb_forget_breakpoints(g, i);
    gdb_arm(g, true);
    return g->end;
}
