/* `monitor stop-when CONDITION`: stops all nodes where a condition over variables of several becomes true.
 *
 * Its variables are watched. At each write all nodes stand at one moment, and the condition is looked at. Invariant:
 * forward and backward find the same writes; forward ends after such a write, backward before it.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "gdb/gdb.h"

static bool condition_holds(const struct gdb *g)
{
    struct motet_error e;
    bool holds = false;
    return motet_condition_holds(g->condition.condition, &holds, &e) && holds; /* not where it divides by zero */
}

/* The bytes that a write to a data address of a node is part of; false if the condition is not about them. */
static bool condition_place(const struct gdb *g, uint32_t node, uint32_t address, struct motet_timeline_watch *w)
{
    uint32_t of;
    for (size_t i = 0; motet_condition_place(g->condition.condition, i, &of, &w->first, &w->last); i++)
        if (of == node && address >= w->first && address <= w->last)
            return true;
    return false;
}

unsigned gdb_condition_arm(const struct gdb *g, uint32_t node, struct motet_timeline_watch *watches, unsigned count)
{
    struct motet_timeline_watch w = {.kinds = MOTET_WRITE};
    uint32_t of;
    for (size_t i = 0;
         g->condition.condition && motet_condition_place(g->condition.condition, i, &of, &w.first, &w.last); i++)
        if (of == node && count < MOTET_TIMELINE_WATCHES)
            watches[count++] = w;
    return count;
}

/* One more instruction of the node, which writes the rest of the variable: the timeline is after it. Else nothing has
 * moved. */
static bool condition_next_writes(struct gdb *g, uint32_t node, const struct motet_timeline_watch *w)
{
    struct motet_position here = motet_timeline_position(g->timeline);
    struct motet_timeline_event e = motet_timeline_step(g->timeline, node, g->until);
    if (e.why == MOTET_TIMELINE_WATCH && e.node == node && e.address >= w->first && e.address <= w->last)
        return true;
    motet_timeline_go(g->timeline, here);
    return false;
}

/* The instruction before wrote to the variable, too: what is there now was there for one instruction. */
static bool condition_last_wrote(struct gdb *g, uint32_t node, const struct motet_timeline_watch *w)
{
    struct motet_position here = motet_timeline_position(g->timeline);
    struct motet_timeline_event e = motet_timeline_step_back(g->timeline, node);
    bool wrote = false;
    if (e.why == MOTET_TIMELINE_REACHED) {
        e = motet_timeline_step(g->timeline, node, g->until);
        wrote = e.why == MOTET_TIMELINE_WATCH && e.node == node && e.address >= w->first && e.address <= w->last;
    }
    motet_timeline_go(g->timeline, here);
    return wrote;
}

bool gdb_condition_met(struct gdb *g, struct motet_timeline_event e)
{
    struct gdb_condition *c = &g->condition;
    struct motet_timeline_watch w;
    if (!c->condition || e.why != MOTET_TIMELINE_WATCH || !condition_place(g, e.node, e.address, &w))
        return false;
    bool holds = condition_holds(g);
    while (holds && !c->held && w.last > w.first && condition_next_writes(g, e.node, &w))
        holds = condition_holds(g);
    bool rose = holds && !c->held;
    c->held = holds;
    return rose;
}

bool gdb_condition_met_back(struct gdb *g, struct motet_timeline_event e)
{
    struct gdb_condition *c = &g->condition;
    struct motet_timeline_watch w;
    if (!c->condition || e.why != MOTET_TIMELINE_WATCH || !condition_place(g, e.node, e.address, &w))
        return false;
    if (w.last > w.first && condition_last_wrote(g, e.node, &w))
        return false;
    bool holds = condition_holds(g), rose = c->held && !holds;
    c->held = holds;
    return rose;
}

void gdb_condition_begin(struct gdb *g)
{
    if (g->condition.condition && !g->condition.rose)
        g->condition.held = condition_holds(g);
}

void gdb_condition_stepped(struct gdb *g)
{
    struct gdb_condition *c = &g->condition;
    if (!c->condition)
        return;
    bool holds = condition_holds(g);
    c->rose |= holds && !c->held;
    c->held = holds;
}

void gdb_condition_say(struct gdb *g, bool forward)
{
    char text[GDB_CONDITION];
    snprintf(text, sizeof text, forward ? "now %s\n" : "before the write that made it true: %s\n",
             motet_condition_text(g->condition.condition));
    gdb_say(g, text);
}

/* ---- the command ---- */

void gdb_condition_forget(struct gdb *g)
{
    motet_condition_free(g->condition.condition);
    g->condition = (struct gdb_condition){.condition = NULL};
}

static void condition_command(struct commands *commands, const char *arguments, struct answer *a)
{
    struct gdb *g = (struct gdb *)((char *)commands - offsetof(struct gdb, commands));
    struct motet_error e;
    gdb_condition_forget(g);
    if (!*arguments) {
        answer_say(a, "no condition stops the nodes\n");
        return;
    }
    motet_network *n = motet_node_network(g->nodes[0].node);
    g->condition.condition = motet_condition_new(n, arguments, &e);
    if (!g->condition.condition) {
        answer_refuse(a, "%s", e.text);
        return;
    }
    g->condition.held = condition_holds(g);
    answer_say(a, "continue and reverse-continue stop where this becomes true: %s%s\n", arguments,
               g->condition.held ? " (it is true here)" : "");
}

const struct command gdb_condition_commands[GDB_CONDITION_COMMANDS] = {
    {"stop-when", NULL, "CONDITION", "stops where it becomes true: node[5].cost > node[4].cost; without: nowhere",
     condition_command, false},
};
