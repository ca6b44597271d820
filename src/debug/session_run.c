/* Running, forward and backward: instructions, lines, functions, and why it stopped. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chip/chip.h"
#include "debug/frames.h"
#include "debug/session_internal.h"
#include "isa/isa.h"
#include "node/machine.h"

#define NOWHERE UINT32_MAX

enum {
    VECTOR = 3,     /* instructions from an interrupt's entry until its handler is reached, at most */
    CLIMB = 50000,  /* instructions of a handler */
    BLIND = 100000, /* instructions of code without lines, until a line is reached */
};

/* How something went: an event worth telling, and the point that made it. */
struct outcome {
    struct timeline_event event;
    struct point *point;
    bool value_known;
    bool lost;                       /* code without lines went on for too long */
    uint8_t before[SESSION_WATCHED]; /* what is watched, on the side it came from */
};

/* ---- what was met ---- */

static bool is_worth_it(struct session *s, struct outcome *o)
{
    const struct timeline_event *e = &o->event;
    o->point = NULL;
    if (e->why == TIMELINE_STOP) {
        o->point = session_points_at(s, e->node, session_pc(s->nodes[e->node]));
        return o->point != NULL;
    }
    if (e->why != TIMELINE_WATCH)
        return true;
    struct point *p = session_points_watched(s, e->node, e->address, e->kind);
    if (!p)
        return false;
    memcpy(o->before, p->value, sizeof o->before);
    session_points_remember(s);
    uint32_t size = p->size < SESSION_WATCHED ? p->size : SESSION_WATCHED;
    if (p->kind == SESSION_WATCH && e->kind == WATCH_WRITE && memcmp(o->before, p->value, size) == 0)
        return false; /* written, and as it was */
    o->point = p;
    o->value_known = true;
    return session_points_condition(s, p, e->node);
}

/* On to something worth telling, or to an address on the selected node with the stack not below. */
static struct outcome session_run_run(struct session *s, bool forward, uint32_t address, uint32_t sp)
{
    struct outcome o = {.point = NULL};
    session_points_remember(s);
    s->goal.node = s->node;
    s->goal.address = address;
    s->goal.sp = sp;
    for (;;) {
        session_points_arm(s);
        o.event = forward ? timeline_run_until(s->timeline, s->until) : timeline_run_back(s->timeline);
        const struct node *n = session_selected(s);
        bool there = o.event.why == TIMELINE_STOP && o.event.node == s->node && address != NOWHERE &&
                     session_pc(n) == address && session_sp(n) >= sp;
        if (is_worth_it(s, &o))
            return o;
        if (there) {
            o.event.why = TIMELINE_REACHED;
            return o;
        }
        if (session_interrupted(s)) {
            o.event.why = TIMELINE_INTERRUPTED;
            return o;
        }
    }
}

static struct outcome one(struct session *s, bool forward)
{
    struct outcome o = {.point = NULL};
    session_points_remember(s);
    s->goal.address = NOWHERE;
    do {
        session_points_arm(s);
        o.event = forward ? timeline_step(s->timeline, s->node, s->until) : timeline_step_back(s->timeline, s->node);
    } while (o.event.why != TIMELINE_REACHED && !is_worth_it(s, &o));
    return o;
}

/* ---- telling ---- */

static void tell_value(struct session *s, const struct point *p, const uint8_t *bytes, const char *word)
{
    char text[512];
    int64_t number = 0;
    if (p->type && p->type->size <= SESSION_WATCHED) {
        debug_format(p->type, bytes, text, sizeof text);
    } else {
        for (uint32_t i = 0; i < p->size && i < 8; i++)
            number |= (int64_t)bytes[i] << 8 * i;
        snprintf(text, sizeof text, "%" PRId64, number);
    }
    session_say(s, "%s = %s\n", word, text);
}

static void tell_point(struct session *s, const struct outcome *o)
{
    static const char *const words[] = {"Breakpoint", "Watchpoint", "Read watchpoint", "Access watchpoint"};
    struct point *p = o->point;
    uint32_t size = p->size < SESSION_WATCHED ? p->size : SESSION_WATCHED;
    p->hits++;
    if (p->kind == SESSION_BREAK) {
        session_say(s, "%s %u, ", p->temporary ? "Temporary breakpoint" : words[0], p->number);
        return;
    }
    session_say(s, "%s %u: %s\n", words[p->kind], p->number, p->text);
    bool changed = memcmp(o->before, p->value, size) != 0;
    if (changed) {
        tell_value(s, p, o->before, "Old value");
        tell_value(s, p, p->value, "New value");
    } else {
        tell_value(s, p, p->value, "Value");
    }
}

static void tell_end(struct session *s, uint32_t node)
{
    const struct node_state *state = s->nodes[node]->state;
    char text[4096] = "";
    if ((state->exit == NODE_EXIT_FAULT || state->exit == NODE_EXIT_LOG) && s->face.explain)
        s->face.explain(s->face.context, node, text, sizeof text);
    if (text[0])
        session_say(s, "%s", text);
    else if (state->exit == NODE_EXIT_FIRMWARE)
        session_say(s, "The firmware ended with status %u.\n", state->exit_status);
    else if (state->exit == NODE_EXIT_HALT)
        session_say(s, "The CPU stands still for good: nothing can wake it.\n");
    else
        session_say(s, "Nothing will ever happen again.\n");
}

void session_run_show(struct session *s)
{
    session_moved(s);
    session_look_frame(s, 0, false);
    session_look_source(s);
}

static void session_run_tell(struct session *s, const struct outcome *o)
{
    enum timeline_stop why = o->event.why;
    bool elsewhere = s->count > 1 && o->event.node != s->node &&
                     (why == TIMELINE_STOP || why == TIMELINE_WATCH || why == TIMELINE_EXIT);
    if (elsewhere) {
        s->node = o->event.node;
        session_say(s, "[node %" PRIu32 "]\n", session_selected(s)->id);
    }
    if (o->point)
        tell_point(s, o);
    else if (why == TIMELINE_BEGIN)
        session_say(s, "No more reverse-execution history.\n");
    else if (why == TIMELINE_END || why == TIMELINE_EXIT)
        tell_end(s, s->node);
    else if (why == TIMELINE_INTERRUPTED)
        session_say(s, "Interrupted.\n");
    else if (o->lost)
        session_say(s, "No line was reached in %d instructions; stepi, finish or a breakpoint lead on.\n", BLIND);
    else if (timeline_now(s->timeline) >= s->until)
        session_say(s, "This is where the run ends.\n");
    session_run_show(s);
    if (o->point && o->point->temporary)
        session_points_drop(s, o->point);
}

/* ---- calls, returns and interrupts, seen from the stack ---- */

struct spot {
    uint32_t pc, sp, next; /* next: after the instruction */
    const struct image_symbol *function;
};

static struct spot spot_of(const struct session *s)
{
    const struct node *n = session_selected(s);
    char text[80];
    struct spot p = {.pc = session_pc(n), .sp = session_sp(n)};
    p.next = p.pc + session_look_instruction(n, p.pc, text, sizeof text);
    p.function = image_symbol_at(session_image(n), p.pc);
    return p;
}

/* Whether the stack ends in a return to that address. */
static bool returns_to(const struct session *s, uint32_t address)
{
    const struct node *n = session_selected(s);
    const struct isa *isa = n->machine->chip->isa;
    return isa->return_address(n, session_sp(n)) == address || isa->return_address(n, session_sp(n) + 1) == address;
}

/* The address an interrupt's handler, just entered or about to return, goes back to; NOWHERE if it is none. */
static uint32_t interrupted_at(const struct session *s)
{
    struct debug_frame f;
    uint32_t cfa;
    return frames_find(session_selected(s), 1, &f, &cfa) && !f.after_call ? f.pc : NOWHERE;
}

static uint32_t session_run_call_before(const struct session *s, uint32_t address)
{
    char text[80];
    for (uint32_t size = 4; size >= 2; size -= 2)
        if (address >= size && session_look_instruction(session_selected(s), address - size, text, sizeof text) == size)
            return address - size;
    return address;
}

/* ---- lines ---- */

static bool has_lines(const struct session *s, uint32_t address)
{
    struct image_row row;
    return image_row_at(session_image(session_selected(s)), address, &row);
}

static bool same_line(const struct image_row *a, const struct image_row *b)
{
    return a->line == b->line && strcmp(a->file, b->file) == 0;
}

/* Instruction by instruction until the stack is as high again: out of a handler that debug information says nothing of.
 */
static bool climb(struct session *s, bool forward, uint32_t sp, struct outcome *o)
{
    for (unsigned i = 0; i < CLIMB && session_sp(session_selected(s)) < sp; i++) {
        *o = one(s, forward);
        if (session_interrupted(s))
            o->event.why = TIMELINE_INTERRUPTED;
        if (o->event.why != TIMELINE_REACHED)
            return false;
    }
    return true;
}

/* After a step: over a call and over an interrupt's handler, or into the function that was called. */
static bool get_past(struct session *s, const struct spot *from, bool over, struct outcome *o, bool *entered)
{
    struct spot to = spot_of(s);
    *entered = false;
    if (to.sp >= from->sp || to.function == from->function)
        return true;
    uint32_t back = returns_to(s, from->next) ? from->next : NOWHERE;
    if (back != NOWHERE && !over && to.function && has_lines(s, to.function->address)) {
        uint32_t body = image_body(session_image(session_selected(s)), to.function);
        *entered = true;
        if (body == to.pc)
            return true;
        *o = session_run_run(s, true, body, 0);
        return o->event.why == TIMELINE_REACHED;
    }
    for (unsigned i = 0; back == NOWHERE && i < VECTOR; i++) {
        back = interrupted_at(s);
        if (back == NOWHERE && i + 1 < VECTOR)
            *o = one(s, true);
        if (o->event.why != TIMELINE_REACHED)
            return false;
    }
    if (back == NOWHERE)
        return climb(s, true, from->sp, o);
    *o = session_run_run(s, true, back, from->sp);
    return o->event.why == TIMELINE_REACHED;
}

/* No line was reached in reasonable time; what was met meanwhile comes first. */
static struct outcome session_run_lost(struct outcome o)
{
    o.lost = o.event.why == TIMELINE_REACHED;
    return o;
}

static struct outcome step_line(struct session *s, bool over)
{
    struct image_row first, row;
    bool known = image_row_at(session_image(session_selected(s)), session_pc(session_selected(s)), &first), entered;
    for (unsigned blind = 0;; blind += !known) {
        struct spot from = spot_of(s);
        struct outcome o = one(s, true);
        if (blind == BLIND)
            return session_run_lost(o);
        if (o.event.why != TIMELINE_REACHED || !get_past(s, &from, over, &o, &entered))
            return o;
        uint32_t pc = session_pc(session_selected(s));
        bool here = image_row_at(session_image(session_selected(s)), pc, &row);
        if (entered || (here && row.start == pc && (!known || !same_line(&row, &first))))
            return o;
        if (session_interrupted(s)) {
            o.event.why = TIMELINE_INTERRUPTED;
            return o;
        }
    }
}

/* After a step back: over a function that had returned, and over an interrupt's handler. */
static bool get_back_past(struct session *s, const struct spot *from, bool over, struct outcome *o)
{
    struct spot to = spot_of(s);
    if (to.sp >= from->sp || to.function == from->function)
        return true;
    if (returns_to(s, from->pc)) {
        if (!over && has_lines(s, to.pc))
            return true;
        *o = session_run_run(s, false, session_run_call_before(s, from->pc), from->sp);
        return o->event.why == TIMELINE_REACHED;
    }
    if (interrupted_at(s) == from->pc && to.function && to.pc != to.function->address) {
        *o = session_run_run(s, false, to.function->address, 0);
        if (o->event.why != TIMELINE_REACHED)
            return false;
    }
    return climb(s, false, from->sp, o);
}

static struct outcome step_line_back(struct session *s, bool over)
{
    struct image_row first = {.line = 0, .file = ""}, row;
    bool known = image_row_at(session_image(session_selected(s)), session_pc(session_selected(s)), &first);
    bool inside = known && session_pc(session_selected(s)) != first.start;
    for (unsigned blind = 0;; blind += !known) {
        struct spot from = spot_of(s);
        struct outcome o = one(s, false);
        if (blind == BLIND)
            return session_run_lost(o);
        if (o.event.why != TIMELINE_REACHED || !get_back_past(s, &from, over, &o))
            return o;
        uint32_t pc = session_pc(session_selected(s));
        bool here = image_row_at(session_image(session_selected(s)), pc, &row);
        if (here && row.start == pc && (!known || (inside && row.start == first.start) || !same_line(&row, &first)))
            return o;
        if (session_interrupted(s)) {
            o.event.why = TIMELINE_INTERRUPTED;
            return o;
        }
    }
}

static struct outcome step_instruction(struct session *s, bool forward, bool over)
{
    struct spot from = spot_of(s);
    struct outcome o = one(s, forward);
    bool entered;
    if (o.event.why != TIMELINE_REACHED || !over)
        return o;
    if (forward)
        get_past(s, &from, true, &o, &entered);
    else
        get_back_past(s, &from, true, &o);
    return o;
}

/* ---- commands ---- */

void session_run_continue(struct session *s, bool forward)
{
    struct outcome o = session_run_run(s, forward, NOWHERE, 0);
    session_run_tell(s, &o);
}

/* Whether lines can be stepped by; says what is missing where the firmware has none. */
static bool session_run_knows_lines(struct session *s)
{
    const struct image *i = session_image(session_selected(s));
    uint32_t pc = session_pc(session_selected(s));
    char name[SESSION_TEXT];
    if (!image_has_lines(i)) {
        session_say(s, "%s says nothing of lines: compile it with -g, or use stepi and nexti\n", image_path(i));
        return false;
    }
    const struct image_symbol *f = image_symbol_at(i, pc);
    if (!has_lines(s, pc))
        session_say(s, "Single stepping until exit from function %s, which has no line number information.\n",
                    f ? image_readable(f->name, name, sizeof name) : "??");
    return true;
}

static struct outcome session_run_one(struct session *s, bool forward, bool over, bool instruction)
{
    return instruction ? step_instruction(s, forward, over) : forward ? step_line(s, over) : step_line_back(s, over);
}

void session_run_step(struct session *s, bool forward, bool over, bool instruction, unsigned times)
{
    struct outcome o = {.point = NULL};
    if (!instruction && !session_run_knows_lines(s))
        return;
    for (unsigned i = 0; i < times && !o.lost; i++) {
        o = session_run_one(s, forward, over, instruction);
        if (o.event.why != TIMELINE_REACHED)
            break;
    }
    session_run_tell(s, &o);
}

/* Out of the selected frame, whose caller is given. */
static struct outcome session_run_out(struct session *s, bool forward, const struct debug_frame *caller)
{
    unsigned stack = session_selected(s)->machine->chip->isa->stack_register;
    uint32_t address = forward || !caller->after_call ? caller->pc : session_run_call_before(s, caller->pc);
    return session_run_run(s, forward, address, caller->registers[stack]);
}

void session_run_finish(struct session *s, bool forward)
{
    struct debug_frame caller;
    uint32_t cfa;
    if (!frames_find(session_selected(s), s->level + 1, &caller, &cfa)) {
        session_say(s, "There is no function that this one was called from.\n");
        return;
    }
    session_say(s, forward ? "Run till exit from " : "Run back to call of ");
    session_look_frame(s, s->level, true);
    struct outcome o = session_run_out(s, forward, &caller);
    session_run_tell(s, &o);
}

/* ---- as data ---- */

static bool session_run_move(struct session *s, const struct session_move *m, struct outcome *o, struct motet_error *e)
{
    struct debug_frame caller;
    uint32_t cfa;
    bool out = m->extent == SESSION_OUT,
         line = !m->instruction && (m->extent == SESSION_INTO || m->extent == SESSION_OVER);
    if (out && !frames_find(session_selected(s), m->level + 1, &caller, &cfa))
        return error_set(e, "there is no function that this one was called from");
    if (line && !image_has_lines(session_image(session_selected(s))))
        return error_set(e, "%s says nothing of lines: compile it with -g, or step by instructions",
                         image_path(session_image(session_selected(s))));
    s->alone = m->extent == SESSION_THERE;
    *o = out                        ? session_run_out(s, !m->backward, &caller)
         : m->extent == SESSION_RUN ? session_run_run(s, !m->backward, NOWHERE, 0)
         : s->alone                 ? session_run_run(s, !m->backward, m->address, 0)
                                    : session_run_one(s, !m->backward, m->extent == SESSION_OVER, m->instruction);
    s->alone = false;
    return true;
}

bool session_move(struct session *s, const struct session_move *m, struct session_stop *stop, struct motet_error *e)
{
    struct outcome o = {.point = NULL};
    s->node = m->node;
    s->level = m->level;
    if (!session_run_move(s, m, &o, e))
        return false;
    if (o.event.why == TIMELINE_STOP || o.event.why == TIMELINE_WATCH || o.event.why == TIMELINE_EXIT)
        s->node = o.event.node;
    *stop = (struct session_stop){o.event, o.point ? o.point->number : 0, o.lost};
    session_moved(s);
    return true;
}
