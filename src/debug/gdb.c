#include "debug/gdb.h"

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "debug/agent.h"
#include "debug/gdb_internal.h"
#include "isa/isa.h"
#include "node/machine.h"

void gdb_look_at(struct gdb *g, uint32_t number)
{
    g->at = number;
    g->node = g->nodes[number].node;
}

bool gdb_give(struct gdb *g, enum input_kind kind, uint32_t where, uint32_t value, const void *bytes, size_t size)
{
    airlog_forget(&g->air, timeline_now(g->timeline));
    return timeline_give(g->timeline, g->at, kind, where, value, bytes, size);
}

void gdb_heard(struct gdb *g, const struct airlog_packet *p)
{
    airlog_heard(&g->air, p);
}

/* ---- life ---- */

static void leave(struct gdb *g, enum gdb_end end)
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
            leave(g, GDB_KILLED);
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
        leave(g, GDB_DETACHED);
}

static void command(struct gdb *g, const char *packet)
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
            leave(g, GDB_KILLED);
        break;
    case 'R': gdb_restart(g); break; /* has no reply */
    case 'v': verbose(g, packet); break;
    default:
        if (!gdb_query(g, packet))
            packet_reply(&g->packets, "");
    }
}

static bool interrupted(void *context)
{
    return packet_interrupts(&((struct gdb *)context)->packets);
}

/* Whether one of a breakpoint's conditions holds. What cannot be evaluated does: gdb then looks for itself. */
static bool holds(struct gdb_node *n, const struct gdb_breakpoint *b)
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

static bool counts(void *context, uint32_t node)
{
    struct gdb_node *n = &((struct gdb *)context)->nodes[node];
    uint32_t pc = n->node->machine->chip->isa->pc(n->node);
    for (unsigned i = 0; i < n->breakpoints; i++)
        if (n->breakpoint[i].address == pc)
            return holds(n, &n->breakpoint[i]);
    return true;
}

/* A debugger knows one instruction set: nodes of another are not shown to it. */
static void show_nodes(struct gdb *g)
{
    const struct isa *known = g->nodes[0].node->machine->chip->isa;
    for (uint32_t i = 0; i < g->count; i++) {
        g->nodes[i].away = g->nodes[i].node->machine->chip->isa != known;
        g->nodes[i].moves = true;
    }
    gdb_look_at(g, 0);
    g->resumed = g->chosen = g->count;
}

struct gdb *gdb_new(const struct gdb_target *t)
{
    struct gdb *g = calloc(1, sizeof *g);
    if (!g || !(g->nodes = calloc(t->count, sizeof *g->nodes)))
        abort();
    g->target = *t;
    g->count = t->count;
    for (uint32_t i = 0; i < t->count; i++)
        g->nodes[i].node = t->nodes[i];
    show_nodes(g);
    struct subject s = t->told ? *t->told : t->network ? subject_of_network(t->network) : subject_of_node(t->nodes[0]);
    g->timeline = timeline_new(s, t->memory, interrupted, g);
    timeline_filter(g->timeline, counts, g);
    if (t->actor.act)
        timeline_actor(g->timeline, t->actor);
    return g;
}

struct timeline *gdb_timeline(struct gdb *g)
{
    return g->timeline;
}

void gdb_free(struct gdb *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; i < g->count; i++) {
        gdb_forget_breakpoints(g, i);
        free(g->nodes[i].breakpoint);
        stops_set(g->nodes[i].node, NULL, 0, NULL, 0);
    }
    timeline_free(g->timeline);
    free(g->flash);
    free(g->flash_mark);
    airlog_free(&g->air);
    free(g->nodes);
    free(g);
}

enum gdb_end gdb_serve(struct gdb *g, int fd)
{
    g->packets = (struct packets){.fd = fd};
    g->ended = g->extended = g->multiprocess = false;
    show_nodes(g);
    gdb_describe_stop(g, "", SIGNAL_TRAP);
    while (!g->ended)
        switch (packet_receive(&g->packets)) {
        case PACKET_COMMAND: command(g, g->packets.packet); break;
        case PACKET_INTERRUPT: packet_reply(&g->packets, g->stop); break;
        case PACKET_CLOSED: leave(g, GDB_CLOSED); break;
        }
    for (uint32_t i = 0; i < g->count; i++)
        gdb_forget_breakpoints(g, i);
    gdb_arm(g, true);
    return g->end;
}
