/* Running, forward and backward, and saying why it stopped. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "chip/chip.h"
#include "debug/gdb_internal.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "node/machine.h"

/* The node that a step is of. */
static uint32_t stepping(const struct gdb *g)
{
    return g->resumed < g->count ? g->resumed : g->at;
}

void gdb_describe_stop(struct gdb *g, const char *more, unsigned signal)
{
    const struct isa *isa = g->node->machine->chip->isa;
    size_t used = (size_t)snprintf(g->stop, sizeof g->stop, "T%02x", signal);
    for (unsigned i = 0; i < isa->registers; i++) {
        const char *name = isa->register_name(i);
        if (strcasecmp(name, "PC") != 0 && strcasecmp(name, "SP") != 0 && strcmp(name, "SREG") != 0)
            continue; /* the three that gdb asks for at every stop */
        used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, "%02x:", i);
        uint32_t value = isa->get_register(g->node, i);
        for (unsigned k = 0; k < isa->register_size(i); k++)
            used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, "%02x", value >> 8 * k & 0xff);
        used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, ";");
    }
    char thread[24];
    gdb_say_thread(g, g->at, thread);
    snprintf(g->stop + used, sizeof g->stop - used, "thread:%s;%s", thread, more);
}

/* ---- what is said on gdb's console ---- */

static void say(struct gdb *g, const char *text)
{
    packet_begin(&g->packets);
    packet_text(&g->packets, "O");
    packet_hex(&g->packets, text, strlen(text));
    packet_send(&g->packets);
}

static void say_end(struct gdb *g, uint32_t number)
{
    const struct node *n = g->nodes[number].node;
    const struct node_state *s = n->state;
    char text[4096] = "";
    if (g->count > 1 && s->exit) {
        snprintf(text, sizeof text, "node %" PRIu32 ": ", n->id);
        say(g, text);
        text[0] = 0;
    }
    double seconds = (double)s->now / (double)n->machine->hz;
    if ((s->exit == NODE_EXIT_FAULT || s->exit == NODE_EXIT_LOG) && g->target.explain)
        g->target.explain(g->target.context, number, text, sizeof text);
    else if (s->exit == NODE_EXIT_FIRMWARE)
        snprintf(text, sizeof text, "the firmware ended with status %u after %.6f s\n", s->exit_status, seconds);
    else if (s->exit == NODE_EXIT_HALT)
        snprintf(text, sizeof text, "the CPU stands still for good after %.6f s: nothing can wake it\n", seconds);
    if (text[0])
        say(g, text);
}

static unsigned fault_signal(const struct node *n)
{
    switch (n->fault.kind) {
    case FAULT_ILLEGAL_OPCODE:
    case FAULT_ERASED_FLASH:
    case FAULT_EXECUTES_DATA: return SIGNAL_ILL;
    case FAULT_TRAP: return SIGNAL_ABRT;
    default: return SIGNAL_SEGV;
    }
}

/* ---- why it stopped ---- */

static const char *watch_word(const struct gdb *g, uint16_t address, uint8_t kind, uint32_t *first)
{
    const struct gdb_node *n = &g->nodes[g->at];
    for (unsigned i = 0; i < n->watches; i++) {
        const struct watch *w = &n->watch[i].watch;
        if (address < w->first || address > w->last || !(w->kinds & kind))
            continue;
        *first = w->first;
        return n->watch[i].type == '2' ? "watch" : n->watch[i].type == '3' ? "rwatch" : "awatch";
    }
    *first = address;
    return "watch";
}

/* The node a stop is about: one that the debugger knows. */
static uint32_t node_of(const struct gdb *g, struct timeline_event e)
{
    bool about_one = e.why == TIMELINE_STOP || e.why == TIMELINE_WATCH || e.why == TIMELINE_EXIT;
    uint32_t number = about_one ? e.node : stepping(g);
    if (!g->nodes[number].away)
        return number;
    return g->nodes[g->at].away ? 0 : g->at;
}

static void stopped(struct gdb *g, struct timeline_event e, bool had_ended)
{
    char more[64] = "";
    unsigned signal = SIGNAL_TRAP;
    uint32_t first;
    gdb_look_at(g, node_of(g, e));
    switch (e.why) {
    case TIMELINE_WATCH: {
        const char *word = watch_word(g, e.address, e.kind, &first);
        snprintf(more, sizeof more, "%s:%" PRIx32 ";", word, space_of_data(g->node, first));
        break;
    }
    case TIMELINE_BEGIN: snprintf(more, sizeof more, "replaylog:begin;"); break;
    case TIMELINE_END:
    case TIMELINE_EXIT:
        if (!had_ended)
            say_end(g, e.why == TIMELINE_EXIT ? e.node : g->at);
        if (!had_ended && g->node->state->exit == NODE_EXIT_FAULT)
            signal = fault_signal(g->node);
        else if (e.why == TIMELINE_END)
            snprintf(more, sizeof more, "replaylog:end;");
        break;
    case TIMELINE_INTERRUPTED: signal = SIGNAL_INT; break;
    default:
        if (timeline_now(g->timeline) >= g->target.until)
            snprintf(more, sizeof more, "replaylog:end;");
    }
    gdb_describe_stop(g, more, signal);
    packet_reply(&g->packets, g->stop);
}

/* ---- running ---- */

void gdb_arm(struct gdb *g, bool all)
{
    static const struct watch none;
    for (uint32_t k = 0; k < g->count; k++) {
        const struct gdb_node *n = &g->nodes[k];
        bool counts = n->moves || all;
        struct watch watches[STOPS_WATCHES] = {none};
        uint32_t at[GDB_BREAKPOINTS];
        for (unsigned i = 0; i < n->breakpoints; i++)
            at[i] = n->breakpoint[i].address;
        for (unsigned i = 0; i < n->watches; i++)
            watches[i] = n->watch[i].watch;
        stops_set(n->node, at, counts ? n->breakpoints : 0, watches, counts ? n->watches : 0);
    }
}

/* One node, or (g->count) all. */
static void let_move(struct gdb *g, uint32_t number)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (i == number || number == g->count)
            g->nodes[i].moves = true;
}

static void hold_all(struct gdb *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        g->nodes[i].moves = false;
}

/* The end of a node that the debugger has not resumed is nothing to stop for: gdb would not know what to do with it. */
static bool is_silent(const struct gdb *g, struct timeline_event e)
{
    return e.why == TIMELINE_EXIT && !g->nodes[e.node].moves;
}

static struct timeline_event run_on(struct gdb *g)
{
    struct timeline_event e;
    do
        e = timeline_run_until(g->timeline, g->target.until);
    while (is_silent(g, e));
    return e;
}

/* gdb steps one node alone over its breakpoint; meanwhile another may come to its own. Then the step ends there, if it
 * is done, and the next run meets that one. Else it is passed: that node was not to move. */
static struct timeline_event step(struct gdb *g, uint32_t node)
{
    const struct node_state *s = g->nodes[node].node->state;
    uint64_t before = s->instructions;
    for (;;) {
        struct timeline_event e = timeline_step(g->timeline, node);
        bool others = (e.why == TIMELINE_STOP || e.why == TIMELINE_WATCH) && !g->nodes[e.node].moves;
        if (!others && !is_silent(g, e))
            return e;
        if (!others || s->instructions == before)
            continue;
        if (e.why == TIMELINE_WATCH)
            timeline_step_back(g->timeline, e.node);
        timeline_heed(g->timeline);
        return (struct timeline_event){.why = TIMELINE_REACHED};
    }
}

/* Steps as long as it stays in the range. */
static struct timeline_event step_within(struct gdb *g, uint32_t node, uint32_t start, uint32_t end)
{
    const struct node *n = g->nodes[node].node;
    struct timeline_event e;
    uint32_t pc;
    do {
        e = step(g, node);
        pc = n->machine->chip->isa->pc(n);
    } while (e.why == TIMELINE_REACHED && pc >= start && pc < end && !stops_has(n, pc) &&
             !packet_interrupts(&g->packets));
    return e;
}

/* What a step back goes over may have written what is watched. */
static struct timeline_event step_back(struct gdb *g)
{
    uint8_t before[STOPS_WATCHES][8];
    uint32_t number = stepping(g);
    const struct gdb_node *n = &g->nodes[number];
    const uint8_t *data = n->node->data;
    for (unsigned i = 0; i < n->watches; i++)
        for (uint32_t k = 0; k < 8 && n->watch[i].watch.first + k <= n->watch[i].watch.last; k++)
            before[i][k] = data[n->watch[i].watch.first + k];
    struct timeline_event e = timeline_step_back(g->timeline, number);
    for (unsigned i = 0; i < n->watches && e.why == TIMELINE_REACHED; i++)
        for (uint32_t k = 0; k < 8 && n->watch[i].watch.first + k <= n->watch[i].watch.last; k++)
            if (before[i][k] != data[n->watch[i].watch.first + k] && n->watch[i].watch.kinds & WATCH_WRITE)
                e = (struct timeline_event){TIMELINE_WATCH, number, (uint16_t)(n->watch[i].watch.first + k),
                                            WATCH_WRITE};
    return e;
}

/* "c", "s", "C05", "r100,120": false if it is none of these. */
static bool act(struct gdb *g, const char *action)
{
    bool had_ended = timeline_position(g->timeline).phase == PHASE_ENDED;
    uint32_t node = stepping(g);
    uint64_t start, end;
    gdb_arm(g, action[0] && strchr("sSr", action[0]));
    switch (action[0]) {
    case 'c':
    case 'C': stopped(g, run_on(g), had_ended); return true;
    case 's':
    case 'S': stopped(g, step(g, node), had_ended); return true;
    case 'r':
        action++;
        if (!packet_number(&action, UINT32_MAX, &start) || *action++ != ',' ||
            !packet_number(&action, UINT32_MAX, &end))
            return false;
        stopped(g, step_within(g, node, (uint32_t)start, (uint32_t)end), had_ended);
        return true;
    default: return false;
    }
}

/* ";s:p2.1;c:p1.-1;c": the nodes that are named move, or all. The first action that steps is done, since time passes
 * for all with the one that does; else they continue. */
static bool act_list(struct gdb *g, const char *list)
{
    const char *step_action = NULL, *first = list + 1;
    hold_all(g);
    g->resumed = g->count;
    while (*list == ';') {
        const char *action = ++list, *thread;
        uint32_t number = g->count;
        list += strcspn(list, ";");
        thread = memchr(action, ':', (size_t)(list - action));
        if (thread && (++thread, !gdb_thread(g, &thread, &number)))
            return false;
        let_move(g, number);
        bool steps = *action && strchr("sSr", *action);
        if ((!step_action && steps) || action == first)
            g->resumed = number;
        if (!step_action && steps)
            step_action = action;
    }
    return act(g, step_action ? step_action : first);
}

/* `c ADDRESS` and `s ADDRESS`: from there. */
static void jump(struct gdb *g, const char *address)
{
    const struct isa *isa = g->node->machine->chip->isa;
    uint64_t pc;
    for (unsigned i = 0; i < isa->registers; i++)
        if (strcasecmp(isa->register_name(i), "PC") == 0 && packet_number(&address, UINT32_MAX, &pc))
            gdb_give(g, INPUT_REGISTER, i, (uint32_t)pc, NULL, 0);
}

bool gdb_resume(struct gdb *g, const char *packet)
{
    bool had_ended = timeline_position(g->timeline).phase == PHASE_ENDED;
    if (strcmp(packet, "vCont?") == 0) {
        packet_reply(&g->packets, "vCont;c;C;s;S;r");
        return true;
    }
    if (strncmp(packet, "vCont;", 6) == 0) {
        if (!act_list(g, packet + 5))
            packet_reply(&g->packets, "E01");
        return true;
    }
    bool backward = strcmp(packet, "bc") == 0 || strcmp(packet, "bs") == 0;
    if (!backward && (!packet[0] || !strchr("cCsS", packet[0])))
        return false;
    hold_all(g);
    g->resumed = g->chosen;
    let_move(g, g->resumed);
    if (backward) {
        gdb_arm(g, false);
        stopped(g, packet[1] == 'c' ? timeline_run_back(g->timeline) : step_back(g), had_ended);
        return true;
    }
    const char *address = packet[0] == 'C' || packet[0] == 'S' ? strchr(packet, ';') : packet;
    if (address && address[1])
        jump(g, address + 1);
    return act(g, packet);
}

void gdb_restart(struct gdb *g)
{
    const struct isa *known = g->node->machine->chip->isa;
    timeline_seek(g->timeline, 0);
    for (uint32_t i = 0; i < g->count; i++)
        g->nodes[i].away = g->nodes[i].node->machine->chip->isa != known;
    gdb_describe_stop(g, "", SIGNAL_TRAP);
}
