/* Running, forward and backward, and saying why it stopped. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gdb/gdb.h"

/* The node that a step is of. */
static uint32_t stepping(const struct gdb *g)
{
    return g->resumed < g->count ? g->resumed : g->at;
}

void gdb_describe_stop(struct gdb *g, const char *more, unsigned signal)
{
    struct motet_registers r;
    const char *name;
    unsigned size;
    motet_machine_registers(g->machine, &r);
    size_t used = (size_t)snprintf(g->stop, sizeof g->stop, "T%02x", signal);
    for (unsigned i = 0; motet_machine_register(g->machine, i, &name, &size); i++) {
        if (i != r.pc && i != r.sp && i != r.status)
            continue; /* the three that gdb asks for at every stop */
        used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, "%02x:", i);
        uint32_t value = motet_node_register(g->node, i);
        for (unsigned k = 0; k < size; k++)
            used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, "%02x", value >> 8 * k & 0xff);
        used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, ";");
    }
    char thread[24];
    gdb_say_thread(g, g->at, thread);
    snprintf(g->stop + used, sizeof g->stop - used, "thread:%s;%s", thread, more);
}

/* ---- output on gdb's console ---- */

void gdb_say(struct gdb *g, const char *text)
{
    static const size_t most = PACKET_SIZE / 2 - 1;
    for (size_t left = strlen(text), length; left > 0; left -= length, text += length) {
        length = left < most ? left : most;
        packet_begin(&g->packets);
        packet_text(&g->packets, "O");
        packet_hex(&g->packets, text, length);
        packet_send(&g->packets);
    }
}

/* A replay's last words. */
static void explain_log(const motet_node *n, char *text, size_t size)
{
    struct motet_replay r;
    motet_node_replay(n, &r);
    snprintf(text, size, "%s\n", r.how);
}

static void say_end(struct gdb *g, uint32_t number)
{
    const motet_node *n = g->nodes[number].node;
    enum motet_exit how = motet_node_exit(n);
    const struct motet_fault *fault = motet_node_fault(n);
    char text[4096] = "";
    if (g->count > 1 && how != MOTET_RUNNING) {
        snprintf(text, sizeof text, "node %" PRIu32 ": ", motet_node_id(n));
        gdb_say(g, text);
        text[0] = 0;
    }
    double seconds = (double)motet_node_now(n) / (double)motet_machine_hz(g->nodes[number].machine);
    if (how == MOTET_EXIT_FAULT && fault)
        motet_node_explain(n, fault, text, sizeof text);
    else if (how == MOTET_EXIT_LOG)
        explain_log(n, text, sizeof text);
    else if (how == MOTET_EXIT_FIRMWARE)
        snprintf(text, sizeof text, "the firmware ended with status %u after %.6f s\n", motet_node_exit_status(n),
                 seconds);
    else if (how == MOTET_EXIT_HALT)
        snprintf(text, sizeof text, "the CPU stands still for good after %.6f s: nothing can wake it\n", seconds);
    if (text[0])
        gdb_say(g, text);
}

static unsigned fault_signal(const motet_node *n)
{
    const struct motet_fault *f = motet_node_fault(n);
    switch (f ? f->kind : MOTET_FAULT_KINDS) {
    case MOTET_FAULT_ILLEGAL_OPCODE:
    case MOTET_FAULT_ERASED_FLASH:
    case MOTET_FAULT_EXECUTES_DATA: return SIGNAL_ILL;
    case MOTET_FAULT_TRAP: return SIGNAL_ABRT;
    default: return SIGNAL_SEGV;
    }
}

/* ---- why it stopped ---- */

static const char *watch_word(const struct gdb *g, uint32_t address, unsigned kind, uint32_t *first)
{
    const struct gdb_node *n = &g->nodes[g->at];
    for (unsigned i = 0; i < n->watches; i++) {
        const struct motet_timeline_watch *w = &n->watch[i].watch;
        if (address < w->first || address > w->last || !(w->kinds & kind))
            continue;
        *first = w->first;
        return n->watch[i].type == '2' ? "watch" : n->watch[i].type == '3' ? "rwatch" : "awatch";
    }
    *first = address;
    return "watch";
}

/* The node a stop is about: one that the debugger knows. */
static uint32_t gdb_resume_node_of(const struct gdb *g, struct motet_timeline_event e)
{
    bool about_one = e.why == MOTET_TIMELINE_STOP || e.why == MOTET_TIMELINE_WATCH || e.why == MOTET_TIMELINE_EXIT;
    uint32_t number = about_one ? e.node : stepping(g);
    if (!g->nodes[number].away)
        return number;
    return g->nodes[g->at].away ? 0 : g->at;
}

static void gdb_resume_stopped(struct gdb *g, struct motet_timeline_event e, bool had_ended)
{
    char more[64] = "";
    unsigned signal = SIGNAL_TRAP;
    uint32_t first;
    gdb_look_at(g, gdb_resume_node_of(g, e));
    switch (e.why) {
    case MOTET_TIMELINE_WATCH: {
        const char *word = watch_word(g, e.address, e.kind, &first);
        snprintf(more, sizeof more, "%s:%" PRIx32 ";", word, gdb_address_of_data(g, first));
        break;
    }
    case MOTET_TIMELINE_BEGIN: snprintf(more, sizeof more, "replaylog:begin;"); break;
    case MOTET_TIMELINE_END:
    case MOTET_TIMELINE_EXIT:
        if (!had_ended)
            say_end(g, e.why == MOTET_TIMELINE_EXIT ? e.node : g->at);
        if (!had_ended && motet_node_exit(g->node) == MOTET_EXIT_FAULT)
            signal = fault_signal(g->node);
        else if (e.why == MOTET_TIMELINE_END)
            snprintf(more, sizeof more, "replaylog:end;");
        break;
    case MOTET_TIMELINE_INTERRUPTED: signal = SIGNAL_INT; break;
    default:
        if (motet_timeline_now(g->timeline) >= g->until)
            snprintf(more, sizeof more, "replaylog:end;");
    }
    gdb_describe_stop(g, more, signal);
    packet_reply(&g->packets, g->stop);
}

/* ---- running ---- */

void gdb_arm(struct gdb *g, bool all)
{
    for (uint32_t k = 0; k < g->count; k++) {
        const struct gdb_node *n = &g->nodes[k];
        bool counts = n->moves || all;
        struct motet_timeline_watch watches[MOTET_TIMELINE_WATCHES];
        uint32_t at[GDB_BREAKPOINTS];
        for (unsigned i = 0; i < n->breakpoints; i++)
            at[i] = n->breakpoint[i].address;
        unsigned watched = counts ? n->watches : 0;
        for (unsigned i = 0; i < watched; i++)
            watches[i] = n->watch[i].watch;
        watched = all ? watched : gdb_condition_arm(g, k, watches, watched);
        motet_timeline_stops(g->timeline, k, at, counts ? n->breakpoints : 0, watches, watched);
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
static bool gdb_resume_is_silent(const struct gdb *g, struct motet_timeline_event e)
{
    return e.why == MOTET_TIMELINE_EXIT && !g->nodes[e.node].moves;
}

/* The debugger itself watches what was touched. */
static bool gdb_resume_is_watched(const struct gdb *g, struct motet_timeline_event e)
{
    const struct gdb_node *n = &g->nodes[e.node];
    for (unsigned i = 0; i < n->watches && n->moves; i++)
        if (e.address >= n->watch[i].watch.first && e.address <= n->watch[i].watch.last &&
            n->watch[i].watch.kinds & e.kind)
            return true;
    return false;
}

/* Tells of the condition, as a stop of the node that wrote if the debugger has resumed it. */
static struct motet_timeline_event gdb_resume_say_condition(struct gdb *g, struct motet_timeline_event e, bool forward)
{
    gdb_condition_say(g, forward);
    if (e.why == MOTET_TIMELINE_WATCH && gdb_resume_is_watched(g, e))
        return e;
    bool about_one = e.why == MOTET_TIMELINE_WATCH && g->nodes[e.node].moves;
    return (struct motet_timeline_event){.why = about_one ? MOTET_TIMELINE_STOP : MOTET_TIMELINE_REACHED,
                                         .node = e.node};
}

static struct motet_timeline_event gdb_resume_run_on(struct gdb *g)
{
    struct motet_timeline_event e = {.why = MOTET_TIMELINE_REACHED};
    gdb_condition_begin(g);
    if (g->condition.rose) {
        g->condition.rose = false;
        return gdb_resume_say_condition(g, e, true);
    }
    for (;;) {
        e = motet_timeline_run(g->timeline, g->until);
        if (gdb_condition_met(g, e))
            return gdb_resume_say_condition(g, e, true);
        bool watched = e.why == MOTET_TIMELINE_WATCH;
        if (!gdb_resume_is_silent(g, e) && (!watched || gdb_resume_is_watched(g, e)))
            return e;
    }
}

static struct motet_timeline_event gdb_resume_run_back(struct gdb *g)
{
    g->condition.rose = false;
    gdb_condition_begin(g);
    for (;;) {
        struct motet_timeline_event e = motet_timeline_run_back(g->timeline);
        if (gdb_condition_met_back(g, e))
            return gdb_resume_say_condition(g, e, false);
        if (e.why != MOTET_TIMELINE_WATCH || gdb_resume_is_watched(g, e))
            return e;
    }
}

/* gdb steps one node alone over its breakpoint; meanwhile another may come to its own. Then the step ends there, if it
 * is done, and the next run meets that one. Else it is passed: that node was not to move. */
static struct motet_timeline_event gdb_resume_step(struct gdb *g, uint32_t node)
{
    const motet_node *n = g->nodes[node].node;
    uint64_t before = motet_node_instructions(n);
    for (;;) {
        struct motet_timeline_event e = motet_timeline_step(g->timeline, node, g->until);
        bool others = (e.why == MOTET_TIMELINE_STOP || e.why == MOTET_TIMELINE_WATCH) && !g->nodes[e.node].moves;
        if (!others && !gdb_resume_is_silent(g, e))
            return e;
        if (!others || motet_node_instructions(n) == before)
            continue;
        if (e.why == MOTET_TIMELINE_WATCH)
            motet_timeline_step_back(g->timeline, e.node);
        motet_timeline_heed(g->timeline);
        return (struct motet_timeline_event){.why = MOTET_TIMELINE_REACHED};
    }
}

/* Steps as long as it stays in the range. */
static struct motet_timeline_event step_within(struct gdb *g, uint32_t node, uint32_t start, uint32_t end)
{
    const struct gdb_node *n = &g->nodes[node];
    struct motet_timeline_event e;
    uint32_t pc;
    do {
        e = gdb_resume_step(g, node);
        pc = motet_node_pc(n->node);
    } while (e.why == MOTET_TIMELINE_REACHED && pc >= start && pc < end && !gdb_breakpoint_at(n, pc) &&
             !packet_interrupts(&g->packets));
    return e;
}

enum { COMPARED = 8 }; /* bytes of what is watched */

/* The first of them, as they are; returns how many. */
static uint32_t watched_bytes(const struct gdb_node *n, const struct motet_timeline_watch *w, uint8_t bytes[COMPARED])
{
    uint32_t size = w->last - w->first < COMPARED ? w->last - w->first + 1 : COMPARED;
    return motet_node_peek(n->node, w->first, bytes, size) ? size : 0;
}

/* What a step back goes over may have written what is watched. */
static struct motet_timeline_event step_back(struct gdb *g)
{
    uint8_t before[MOTET_TIMELINE_WATCHES][COMPARED], now[COMPARED];
    uint32_t number = stepping(g);
    const struct gdb_node *n = &g->nodes[number];
    for (unsigned i = 0; i < n->watches; i++)
        watched_bytes(n, &n->watch[i].watch, before[i]);
    struct motet_timeline_event e = motet_timeline_step_back(g->timeline, number);
    for (unsigned i = 0; i < n->watches && e.why == MOTET_TIMELINE_REACHED; i++) {
        const struct motet_timeline_watch *w = &n->watch[i].watch;
        uint32_t size = watched_bytes(n, w, now), k = 0;
        while (k < size && now[k] == before[i][k])
            k++;
        if (k < size && w->kinds & MOTET_WRITE)
            e = (struct motet_timeline_event){MOTET_TIMELINE_WATCH, number, w->first + k, MOTET_WRITE};
    }
    return e;
}

/* "c", "s", "C05", "r100,120": false if it is none of these. */
static bool gdb_resume_act(struct gdb *g, const char *action)
{
    bool had_ended = motet_timeline_position(g->timeline).phase == MOTET_PHASE_ENDED;
    uint32_t node = stepping(g);
    uint64_t start, end;
    struct motet_timeline_event e;
    gdb_arm(g, action[0] && strchr("sSr", action[0]));
    switch (action[0]) {
    case 'c':
    case 'C': gdb_resume_stopped(g, gdb_resume_run_on(g), had_ended); return true;
    case 's':
    case 'S':
        gdb_condition_begin(g);
        e = gdb_resume_step(g, node);
        gdb_condition_stepped(g);
        gdb_resume_stopped(g, e, had_ended);
        return true;
    case 'r':
        action++;
        if (!packet_number(&action, UINT32_MAX, &start) || *action++ != ',' ||
            !packet_number(&action, UINT32_MAX, &end))
            return false;
        gdb_condition_begin(g);
        e = step_within(g, node, (uint32_t)start, (uint32_t)end);
        gdb_condition_stepped(g);
        gdb_resume_stopped(g, e, had_ended);
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
    return gdb_resume_act(g, step_action ? step_action : first);
}

/* `c ADDRESS` and `s ADDRESS`: from there. */
static void gdb_resume_jump(struct gdb *g, const char *address)
{
    struct motet_registers r;
    uint64_t pc;
    motet_machine_registers(g->machine, &r);
    if (packet_number(&address, UINT32_MAX, &pc))
        gdb_give(g, (struct motet_input){.kind = MOTET_INPUT_REGISTER, .where = r.pc, .value = (uint32_t)pc});
}

bool gdb_resume(struct gdb *g, const char *packet)
{
    bool had_ended = motet_timeline_position(g->timeline).phase == MOTET_PHASE_ENDED;
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
        gdb_resume_stopped(g, packet[1] == 'c' ? gdb_resume_run_back(g) : step_back(g), had_ended);
        return true;
    }
    const char *address = packet[0] == 'C' || packet[0] == 'S' ? strchr(packet, ';') : packet;
    if (address && address[1])
        gdb_resume_jump(g, address + 1);
    return gdb_resume_act(g, packet);
}

void gdb_restart(struct gdb *g)
{
    motet_timeline_seek(g->timeline, 0);
    for (uint32_t i = 0; i < g->count; i++)
        g->nodes[i].away = !gdb_knows(g, g->machine, i);
    gdb_describe_stop(g, "", SIGNAL_TRAP);
}
