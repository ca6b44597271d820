/* Running, forward and backward, and saying why it stopped. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "debug/gdb_internal.h"
#include "debug/space.h"
#include "isa/isa.h"
#include "node/machine.h"

/* Signals as gdb numbers them. */
enum { SIGNAL_INT = 2, SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_ABRT = 6, SIGNAL_SEGV = 11 };

static uint32_t pc_of(const struct gdb *g)
{
    return g->node->machine->chip->isa->pc(g->node);
}

void gdb_describe_stop(struct gdb *g, const char *more, unsigned signal)
{
    const struct isa *isa = g->node->machine->chip->isa;
    size_t used = (size_t)snprintf(g->stop, sizeof g->stop, "T%02x", signal);
    for (unsigned i = 0; i < isa->registers; i++) {
        const char *name = isa->register_name(i);
        if (strcmp(name, "PC") != 0 && strcmp(name, "SP") != 0 && strcmp(name, "SREG") != 0)
            continue; /* the three that gdb asks for at every stop */
        used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, "%02x:", i);
        uint32_t value = isa->get_register(g->node, i);
        for (unsigned k = 0; k < isa->register_size(i); k++)
            used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, "%02x", value >> 8 * k & 0xff);
        used += (size_t)snprintf(g->stop + used, sizeof g->stop - used, ";");
    }
    snprintf(g->stop + used, sizeof g->stop - used, "thread:1;%s", more);
}

/* ---- what is said on gdb's console ---- */

static void say(struct gdb *g, const char *text)
{
    packet_begin(&g->packets);
    packet_text(&g->packets, "O");
    packet_hex(&g->packets, text, strlen(text));
    packet_send(&g->packets);
}

static void say_end(struct gdb *g)
{
    const struct node_state *s = g->node->state;
    char text[4096] = "";
    double seconds = (double)s->now / (double)g->node->machine->hz;
    if ((s->exit == NODE_EXIT_FAULT || s->exit == NODE_EXIT_LOG) && g->explain)
        g->explain(g->context, text, sizeof text);
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
    for (unsigned i = 0; i < g->watches; i++) {
        const struct watch *w = &g->watch[i].watch;
        if (address < w->first || address > w->last || !(w->kinds & kind))
            continue;
        *first = w->first;
        return g->watch[i].type == '2' ? "watch" : g->watch[i].type == '3' ? "rwatch" : "awatch";
    }
    *first = address;
    return "watch";
}

static void stopped(struct gdb *g, struct timeline_event e, bool had_ended)
{
    char more[64] = "";
    unsigned signal = SIGNAL_TRAP;
    uint32_t first;
    switch (e.why) {
    case TIMELINE_WATCH: {
        const char *word = watch_word(g, e.address, e.kind, &first);
        snprintf(more, sizeof more, "%s:%" PRIx32 ";", word, space_of_data(g->node, first));
        break;
    }
    case TIMELINE_BEGIN: snprintf(more, sizeof more, "replaylog:begin;"); break;
    case TIMELINE_END:
        if (!had_ended)
            say_end(g);
        if (!had_ended && g->node->state->exit == NODE_EXIT_FAULT)
            signal = fault_signal(g->node);
        else
            snprintf(more, sizeof more, "replaylog:end;");
        break;
    case TIMELINE_INTERRUPTED: signal = SIGNAL_INT; break;
    default: break;
    }
    gdb_describe_stop(g, more, signal);
    packet_reply(&g->packets, g->stop);
}

/* ---- running ---- */

void gdb_arm(struct gdb *g)
{
    struct watch watches[STOPS_WATCHES];
    for (unsigned i = 0; i < g->watches; i++)
        watches[i] = g->watch[i].watch;
    stops_set(g->node, g->breakpoint, g->breakpoints, watches, g->watches);
}

/* Steps as long as it stays in the range. */
static struct timeline_event step_within(struct gdb *g, uint32_t start, uint32_t end)
{
    struct timeline_event e;
    do
        e = timeline_step(g->timeline);
    while (e.why == TIMELINE_REACHED && pc_of(g) >= start && pc_of(g) < end && !stops_has(g->node, pc_of(g)) &&
           !packet_interrupts(&g->packets));
    return e;
}

/* What a step back goes over may have written what is watched. */
static struct timeline_event step_back(struct gdb *g)
{
    uint8_t before[STOPS_WATCHES][8];
    struct node *n = g->node;
    for (unsigned i = 0; i < g->watches; i++)
        for (uint32_t k = 0; k < 8 && g->watch[i].watch.first + k <= g->watch[i].watch.last; k++)
            before[i][k] = n->data[g->watch[i].watch.first + k];
    struct timeline_event e = timeline_step_back(g->timeline);
    for (unsigned i = 0; i < g->watches && e.why == TIMELINE_REACHED; i++)
        for (uint32_t k = 0; k < 8 && g->watch[i].watch.first + k <= g->watch[i].watch.last; k++)
            if (before[i][k] != n->data[g->watch[i].watch.first + k] && g->watch[i].watch.kinds & WATCH_WRITE)
                e = (struct timeline_event){TIMELINE_WATCH, (uint16_t)(g->watch[i].watch.first + k), WATCH_WRITE};
    return e;
}

/* "c", "s", "C05", "r100,120", each of them also with ":thread" behind it: the first action of a vCont is for all. */
static bool act(struct gdb *g, const char *action)
{
    bool had_ended = g->node->state->exit != NODE_RUNNING;
    uint64_t start, end;
    gdb_arm(g);
    switch (action[0]) {
    case 'c':
    case 'C': stopped(g, timeline_run_until(g->timeline, TIMELINE_NEVER), had_ended); return true;
    case 's':
    case 'S': stopped(g, timeline_step(g->timeline), had_ended); return true;
    case 'r':
        action++;
        if (!packet_number(&action, UINT32_MAX, &start) || *action++ != ',' ||
            !packet_number(&action, UINT32_MAX, &end))
            return false;
        stopped(g, step_within(g, (uint32_t)start, (uint32_t)end), had_ended);
        return true;
    default: return false;
    }
}

/* `c ADDRESS` and `s ADDRESS`: from there. */
static void jump(struct gdb *g, const char *address)
{
    const struct isa *isa = g->node->machine->chip->isa;
    uint64_t pc;
    for (unsigned i = 0; i < isa->registers; i++)
        if (strcmp(isa->register_name(i), "PC") == 0 && packet_number(&address, UINT32_MAX, &pc))
            timeline_give(g->timeline, INPUT_REGISTER, i, (uint32_t)pc, NULL, 0);
}

bool gdb_resume(struct gdb *g, const char *packet)
{
    bool had_ended = g->node->state->exit != NODE_RUNNING;
    if (strcmp(packet, "vCont?") == 0) {
        packet_reply(&g->packets, "vCont;c;C;s;S;r");
        return true;
    }
    if (strncmp(packet, "vCont;", 6) == 0) {
        if (!act(g, packet + 6))
            packet_reply(&g->packets, "E01");
        return true;
    }
    if (strcmp(packet, "bc") == 0 || strcmp(packet, "bs") == 0) {
        gdb_arm(g);
        stopped(g, packet[1] == 'c' ? timeline_run_back(g->timeline) : step_back(g), had_ended);
        return true;
    }
    const char *address = packet[0] == 'C' || packet[0] == 'S' ? strchr(packet, ';') : packet;
    if (!packet[0] || !strchr("cCsS", packet[0]))
        return false;
    if (address && address[1])
        jump(g, address + 1);
    return act(g, packet);
}

void gdb_restart(struct gdb *g)
{
    timeline_seek(g->timeline, 0);
    gdb_describe_stop(g, "", SIGNAL_TRAP);
}
