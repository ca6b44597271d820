#include "analysis/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "image/image.h"
#include "isa/isa.h"
#include "node/machine.h"

enum {
    HIGHEST = 1 << 30,  /* stack pointers are below it */
    DEEPER_LIMIT = 200, /* times that a place is found again with a deeper stack */
    TABLE_LIMIT = 1024, /* entries */
    FIRST_PUSH = 4,     /* bytes at most */
};

/* What is known at an instruction. */
struct visit {
    uint32_t at;
    bool waiting;
    unsigned deeper;
    struct abstract_state state;
};

/* A flow under way. */
struct trip {
    struct flows *x;
    struct flow *flow;
    struct visit **table; /* by address, with open addressing */
    size_t size, count;
    struct visit **waiting;
    size_t waiting_count, waiting_room;
    bool measures; /* nothing new is found any more: depths and edges are taken */
};

/* ---- doubts ---- */

static bool flow_same_doubt(const struct flow_doubt *a, const struct flow_doubt *b)
{
    return a->kind == b->kind && a->at == b->at && a->to == b->to;
}

static void flow_doubt(struct flows *x, struct flow_doubt d)
{
    bool known = x->silent;
    for (size_t i = 0; i < x->doubt_count && !known; i++)
        known = flow_same_doubt(&x->doubts[i], &d);
    if (known) {
        free(d.cycle);
        return;
    }
    x->doubts = memory_grow(x->doubts, &x->doubt_room, x->doubt_count, sizeof d);
    x->doubts[x->doubt_count++] = d;
}

static void flow_doubt_at(struct trip *t, enum flow_doubt_kind kind, uint32_t at)
{
    flow_doubt(t->x, (struct flow_doubt){.kind = kind, .at = at});
}

static void flow_doubt_recursion(struct trip *t, uint32_t at, uint32_t to, bool indirect)
{
    struct flow_doubt d = {.kind = FLOW_RECURSION, .at = at, .to = to, .indirect = indirect};
    for (const struct flow *w = t->flow; w; w = w->entry == to ? NULL : w->caller) {
        d.indirect |= w->entry != to && w->indirect;
        d.cycle_count++;
    }
    d.cycle = memory_array(d.cycle_count, sizeof *d.cycle);
    size_t i = d.cycle_count;
    for (const struct flow *w = t->flow; i > 0; w = w->caller)
        d.cycle[--i] = w->entry;
    flow_doubt(t->x, d);
}

/* ---- visits ---- */

static struct visit **flow_slot(struct visit **table, size_t size, uint32_t at)
{
    size_t i = (at * UINT32_C(2654435761)) & (size - 1);
    while (table[i] && table[i]->at != at)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static void flow_make_room(struct trip *t)
{
    if (t->count * 2 < t->size)
        return;
    size_t size = t->size ? 2 * t->size : 64;
    struct visit **table = memory_array(size, sizeof *table);
    for (size_t i = 0; i < t->size; i++)
        if (t->table[i])
            *flow_slot(table, size, t->table[i]->at) = t->table[i];
    free(t->table);
    t->table = table;
    t->size = size;
}

static void flow_wait(struct trip *t, struct visit *v)
{
    if (v->waiting)
        return;
    v->waiting = true;
    t->waiting = memory_grow(t->waiting, &t->waiting_room, t->waiting_count, sizeof *t->waiting);
    t->waiting[t->waiting_count++] = v;
}

/* A path comes to an instruction. */
static void flow_come(struct trip *t, uint32_t at, const struct abstract_state *s)
{
    if (t->measures)
        return;
    if (at == t->x->code.reset && t->flow->entry != at) {
        t->flow->restarts = true;
        return;
    }
    flow_make_room(t);
    struct visit **slot = flow_slot(t->table, t->size, at);
    if (!*slot) {
        *slot = memory_new(sizeof **slot);
        (*slot)->at = at;
        (*slot)->state = *s;
        t->count++;
        flow_wait(t, *slot);
        return;
    }
    struct visit *v = *slot;
    int32_t sp = v->state.sp.n;
    bool mixed = false, changed = abstract_join(&v->state, s, &mixed);
    if (mixed)
        flow_doubt_at(t, FLOW_STACK_POINTER, at);
    if (v->state.sp.n < sp && ++v->deeper > DEEPER_LIMIT) {
        flow_doubt_at(t, FLOW_GROWS, at);
        return;
    }
    if (changed)
        flow_wait(t, v);
}

/* ---- depths ---- */

/* Bytes on the stack, counted from the function's entry or, for the reset's flow, from the highest address. */
static bool flow_bytes(const struct abstract_state *s, uint32_t *bytes)
{
    if (s->sp.kind == ABSTRACT_NUMBER)
        *bytes = (uint32_t)(HIGHEST - s->sp.n);
    else
        *bytes = s->sp.n < 0 ? (uint32_t)-s->sp.n : 0;
    return s->sp.kind != ABSTRACT_RESET;
}

/* Of places with the same depth, the one that follows the function's entry first is kept. */
static void flow_deeper(struct flow_depth *d, uint32_t entry, uint32_t own, uint32_t at, const struct flow *callee,
                        const struct flow_depth *of_callee)
{
    uint32_t bytes = own + (of_callee ? of_callee->bytes : 0);
    if (d->there && (bytes < d->bytes || (bytes == d->bytes && at - entry >= d->at - entry)))
        return;
    *d = (struct flow_depth){true, bytes, own, at, callee};
}

/* The depth at an instruction, before it is executed; with a callee, the depth that it adds to `pushed` bytes. */
static void flow_measure(struct trip *t, uint32_t at, const struct abstract_state *s, unsigned pushed,
                         const struct flow *callee)
{
    uint32_t own;
    if (!t->measures || !flow_bytes(s, &own))
        return;
    if (callee) {
        flow_deeper(&t->flow->deepest, t->flow->entry, own + pushed, at, callee, &callee->deepest);
        if (callee->open.there)
            flow_deeper(&t->flow->open, t->flow->entry, own + pushed, at, callee, &callee->open);
        return;
    }
    flow_deeper(&t->flow->deepest, t->flow->entry, own, at, NULL, NULL);
    if (s->interrupts & ABSTRACT_ON)
        flow_deeper(&t->flow->open, t->flow->entry, own, at, NULL, NULL);
    if (s->sp.kind == ABSTRACT_NUMBER && (uint32_t)s->sp.n > t->flow->top)
        t->flow->top = (uint32_t)s->sp.n;
}

static void flow_edge(struct trip *t, uint32_t from, uint32_t to, enum abstract_flow flow)
{
    struct flows *x = t->x;
    if (!t->measures)
        return;
    x->edges = memory_grow(x->edges, &x->edge_room, x->edge_count, sizeof *x->edges);
    x->edges[x->edge_count++] = (struct flow_edge){from, to, flow};
}

uint32_t flow_below_top(uint32_t top, uint32_t bytes)
{
    uint32_t above = HIGHEST - top;
    return bytes > above ? bytes - above : 0;
}

/* ---- calls ---- */

static struct flow *flow_in_context(struct flows *x, uint32_t entry, const struct abstract_state *start,
                                    const struct flow *caller, bool indirect);

static bool flow_is_active(const struct trip *t, uint32_t entry)
{
    const struct flow *w = t->flow;
    while (w && w->entry != entry)
        w = w->caller;
    return w;
}

/* What a callee sees of its caller. */
static struct abstract_state flow_start(const struct flows *x, const struct abstract_state *caller)
{
    struct abstract_state s = {.sp = {.kind = ABSTRACT_FRAME}, .interrupts = caller->interrupts};
    for (unsigned i = 0; i < x->code.isa->registers; i++) {
        struct abstract_value v = caller->r[i];
        s.r[i] = v.kind == ABSTRACT_STATUS ? v : (struct abstract_value){.kind = ABSTRACT_ENTRY, .n = (int32_t)i};
    }
    return s;
}

static void flow_zero(const struct flows *x, struct abstract_state *s)
{
    if (x->code.isa->zero >= 0)
        s->r[x->code.isa->zero] = abstract_number(0);
}

/* What the caller finds when the callee has returned. */
static void flow_returned(const struct flows *x, struct abstract_state *s, const struct abstract_state *exit)
{
    struct abstract_state before = *s;
    for (unsigned i = 0; i < x->code.isa->registers; i++) {
        struct abstract_value v = exit->r[i];
        bool kept = v.kind == ABSTRACT_NUMBER || v.kind == ABSTRACT_STATUS;
        s->r[i] = v.kind == ABSTRACT_ENTRY ? before.r[v.n] : kept ? v : (struct abstract_value){0};
    }
    flow_zero(x, s);
    s->interrupts = exit->interrupts;
    s->carry = (struct abstract_value){0};
    s->tested = 0;
}

static void flow_join_exit(struct flow *w, const struct abstract_state *s)
{
    bool mixed;
    if (w->returns)
        abstract_join(&w->exit, s, &mixed);
    else
        w->exit = *s;
    w->exit.sp = (struct abstract_value){.kind = ABSTRACT_FRAME};
    w->exit.slot_count = 0;
    w->returns = true;
}

/* Calls a function from `s`; the state after it goes to `after`. False if it does not return. */
static bool flow_call(struct trip *t, uint32_t at, uint32_t entry, const struct abstract_state *s, unsigned pushed,
                      bool indirect, struct abstract_state *after)
{
    *after = *s;
    abstract_move_stack(after, 0);
    if (entry == t->x->code.reset) {
        t->flow->restarts = true;
        return false;
    }
    if (t->measures && s->sp.kind == ABSTRACT_RESET)
        t->flow->top = (uint32_t)s->sp.n;
    if (flow_is_active(t, entry)) {
        flow_doubt_recursion(t, at, entry, indirect);
        return true;
    }
    struct abstract_state start = flow_start(t->x, s);
    flow_zero(t->x, &start);
    struct flow *callee = flow_in_context(t->x, entry, &start, t->flow, indirect);
    flow_measure(t, at, after, pushed, callee);
    if (callee->returns)
        flow_returned(t->x, after, &callee->exit);
    return callee->returns;
}

/* Calls every function that a pointer may lead to. False if none of them returns. */
static bool flow_call_taken(struct trip *t, uint32_t at, const struct abstract_state *s, unsigned pushed,
                            struct abstract_state *after)
{
    size_t count;
    const uint32_t *callees = code_callees(&t->x->code, at, &count);
    bool returns = false, mixed;
    *after = *s;
    if (!count) {
        flow_doubt_at(t, FLOW_ANYWHERE, at);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        struct abstract_state one;
        if (!flow_call(t, at, callees[i], s, pushed, true, &one))
            continue;
        if (returns)
            abstract_join(after, &one, &mixed);
        else
            *after = one;
        returns = true;
    }
    if (t->measures) {
        struct flows *x = t->x;
        x->indirect = memory_grow(x->indirect, &x->indirect_room, x->indirect_count, sizeof *x->indirect);
        x->indirect[x->indirect_count++] = at;
    }
    return returns;
}

/* ---- one instruction ---- */

/* Bytes that a call puts on the stack. */
static unsigned flow_return_bytes(const struct trip *t)
{
    const struct machine *m = t->x->code.machine;
    return isa_call_bytes(m->chip->isa, m);
}

/* A jump to an unknown address is a call of what a pointer leads to, which returns to this function's caller. */
static void flow_jump_anywhere(struct trip *t, uint32_t at, const struct abstract_state *s)
{
    struct abstract_state after;
    if (flow_call_taken(t, at, s, 0, &after))
        flow_join_exit(t->flow, &after);
}

static void flow_return(struct trip *t, uint32_t at, struct abstract_state *s, bool interrupt)
{
    if (s->sp.kind == ABSTRACT_FRAME && s->sp.n < 0 && !interrupt) { /* to an address that it has pushed */
        s->sp.n += (int32_t)flow_return_bytes(t);
        flow_jump_anywhere(t, at, s);
        return;
    }
    if (s->sp.kind == ABSTRACT_FRAME && s->sp.n != 0)
        flow_doubt_at(t, FLOW_RETURN, at);
    if (interrupt)
        s->interrupts = ABSTRACT_ON;
    flow_join_exit(t->flow, s);
}

/* Where an entry of a table leads, past a jump that the linker has put in between. */
static uint32_t flow_entry_of(const struct code *c, uint32_t table)
{
    uint32_t to = code_pointer(c, table), first, end;
    struct abstract_state s = {0};
    struct abstract_step step;
    if (to >= c->machine->code_size || code_function(c, to, &first, &end))
        return to;
    c->isa->step(c->machine, to, &s, &step);
    return step.flow == ABSTRACT_JUMP ? step.target : to;
}

/* An entry of a table of jumps is an instruction of the function that its first entry is of. */
static void flow_table(struct trip *t, uint32_t at, uint32_t table, const struct abstract_state *s)
{
    const struct code *c = &t->x->code;
    uint32_t first, end;
    if (!code_function(c, flow_entry_of(c, table), &first, &end)) {
        flow_jump_anywhere(t, at, s);
        return;
    }
    for (unsigned i = 0; i < TABLE_LIMIT; i++) {
        uint32_t to = flow_entry_of(c, table + c->isa->pointer_size * i);
        if (to < first || to >= end || !(c->known[to] & CODE_BOUNDARY))
            break;
        flow_edge(t, at, to, ABSTRACT_TABLE);
        flow_come(t, to, s);
    }
}

/* Compilers put such a table before the code it leads to: its first entry is before all places that entries lead to. */
static void flow_distances(struct trip *t, uint32_t at, const struct abstract_step *step,
                           const struct abstract_state *s)
{
    const struct machine *m = t->x->code.machine;
    const struct abstract_distance *d = &step->distance;
    uint32_t table = step->target, data = image_data_end(m->image, table), end = data ? data : m->code_size;
    for (unsigned i = 0; i < TABLE_LIMIT && table + d->size <= end; i++, table += d->size) {
        uint32_t distance = 0;
        for (unsigned k = 0; k < d->size; k++)
            distance |= (uint32_t)m->flash[table + k] << 8 * k;
        if (d->is_signed && distance >> (8 * d->size - 1))
            distance -= (uint32_t)(UINT64_C(1) << 8 * d->size);
        uint32_t to = d->from + distance * d->unit;
        if (to > table && to < end)
            end = to;
        if (table + d->size > end && to >= end) /* the byte that fills up the last halfword */
            break;
        flow_edge(t, at, to, ABSTRACT_TABLE);
        flow_come(t, to, s);
    }
}

static void flow_jumps(struct trip *t, uint32_t at, uint32_t first, const struct abstract_state *s)
{
    const struct code *c = &t->x->code;
    uint32_t to = first;
    for (unsigned i = 0; i < TABLE_LIMIT; i++) {
        struct abstract_state trial = *s;
        struct abstract_step step;
        c->isa->step(c->machine, to, &trial, &step);
        if (step.flow != ABSTRACT_JUMP)
            break;
        flow_edge(t, at, to, ABSTRACT_TABLE);
        flow_come(t, to, s);
        to += step.size;
    }
    if (to == first)
        flow_jump_anywhere(t, at, s);
}

static void flow_doubt_stack(struct trip *t, uint32_t at, const struct abstract_state *before, struct abstract_state *s,
                             const struct abstract_step *step)
{
    if (step->lost)
        flow_doubt_at(t, FLOW_STACK_POINTER, at);
    if (before->sp.kind == ABSTRACT_FRAME && s->sp.kind == ABSTRACT_NUMBER) {
        flow_doubt_at(t, FLOW_OTHER_STACK, at);
        s->sp = before->sp;
    }
    /* A push comes first: the stack is the one that the chip has set up. */
    bool used = before->sp.kind == ABSTRACT_RESET && s->sp.kind == ABSTRACT_NUMBER && s->sp.n < before->sp.n &&
                before->sp.n - s->sp.n <= FIRST_PUSH;
    if (t->measures && used)
        t->flow->top = (uint32_t)before->sp.n;
}

/* To the next instruction, where that is not the only way. */
static void flow_go_on(struct trip *t, uint32_t at, const struct abstract_step *step, const struct abstract_state *s)
{
    flow_edge(t, at, at + step->size, ABSTRACT_NEXT);
    flow_come(t, at + step->size, s);
}

static void flow_step(struct trip *t, const struct visit *v)
{
    const struct code *c = &t->x->code;
    uint32_t at = v->at;
    struct abstract_state s = v->state, after;
    struct abstract_step step;
    if (t->measures && at < c->machine->code_size)
        t->x->visited[at] = 1;
    flow_measure(t, at, &s, 0, NULL);
    c->isa->step(c->machine, at, &s, &step);
    flow_doubt_stack(t, at, &v->state, &s, &step);
    switch (step.flow) {
    case ABSTRACT_NEXT: flow_come(t, at + step.size, &s); break;
    case ABSTRACT_BRANCH: flow_go_on(t, at, &step, &s); __attribute__((fallthrough));
    case ABSTRACT_JUMP:
        flow_edge(t, at, step.target, step.flow);
        flow_come(t, step.target, &s);
        break;
    case ABSTRACT_CALL:
        flow_edge(t, at, step.target, step.flow);
        if (flow_call(t, at, step.target, &s, flow_return_bytes(t), false, &after))
            flow_go_on(t, at, &step, &after);
        break;
    case ABSTRACT_CALL_ANYWHERE:
        if (flow_call_taken(t, at, &s, flow_return_bytes(t), &after))
            flow_go_on(t, at, &step, &after);
        break;
    case ABSTRACT_RETURN:
    case ABSTRACT_LEAVE: flow_return(t, at, &s, step.flow == ABSTRACT_LEAVE); break;
    case ABSTRACT_TABLE: flow_table(t, at, step.target, &s); break;
    case ABSTRACT_JUMPS: flow_jumps(t, at, step.target, &s); break;
    case ABSTRACT_DISTANCES: flow_distances(t, at, &step, &s); break;
    case ABSTRACT_JUMP_ANYWHERE: flow_jump_anywhere(t, at, &s); break;
    case ABSTRACT_END: break;
    }
}

/* ---- whole functions ---- */

static void flow_finish(struct trip *t)
{
    t->measures = true;
    for (size_t i = 0; i < t->size; i++)
        if (t->table[i])
            flow_step(t, t->table[i]);
    for (size_t i = 0; i < t->size; i++)
        free(t->table[i]);
    free(t->table);
    free(t->waiting);
}

static void flow_go(struct flows *x, struct flow *w)
{
    struct trip t = {.x = x, .flow = w};
    flow_come(&t, w->entry, &w->start);
    while (t.waiting_count) {
        struct visit *v = t.waiting[--t.waiting_count];
        v->waiting = false;
        flow_step(&t, v);
    }
    flow_finish(&t);
    w->caller = NULL;
}

static bool flow_same_context(const struct flows *x, const struct abstract_state *a, const struct abstract_state *b)
{
    bool same = a->interrupts == b->interrupts && a->sp.kind == b->sp.kind;
    for (unsigned i = 0; i < x->code.isa->registers && same; i++)
        same = abstract_equal(a->r[i], b->r[i]);
    return same;
}

static struct flow *flow_in_context(struct flows *x, uint32_t entry, const struct abstract_state *start,
                                    const struct flow *caller, bool indirect)
{
    struct flow **bucket = &x->buckets[entry / 2 % FLOW_BUCKETS];
    for (struct flow *w = *bucket; w; w = w->next)
        if (w->entry == entry && flow_same_context(x, &w->start, start))
            return w;
    struct flow *w = memory_new(sizeof *w);
    *w = (struct flow){.entry = entry, .start = *start, .caller = caller, .indirect = indirect, .next = *bucket};
    *bucket = w;
    flow_go(x, w);
    return w;
}

void flows_begin(struct flows *x, const struct machine *m)
{
    *x = (struct flows){.visited = memory_new(m->code_size)};
    code_find(&x->code, m);
}

void flows_end(struct flows *x)
{
    for (size_t i = 0; i < FLOW_BUCKETS; i++)
        for (struct flow *w = x->buckets[i], *next; w; w = next) {
            next = w->next;
            free(w);
        }
    for (size_t i = 0; i < x->doubt_count; i++)
        free(x->doubts[i].cycle);
    free(x->doubts);
    free(x->edges);
    free(x->indirect);
    free(x->visited);
    code_free(&x->code);
}

const struct flow *flow_reset(struct flows *x)
{
    bool given = x->code.machine->chip->isa->first_sp; /* by the firmware's vectors */
    struct abstract_state nothing = {.interrupts = ABSTRACT_OFF}, start = flow_start(x, &nothing);
    if (x->code.isa->nests)
        start.interrupts = ABSTRACT_ON;
    start.sp = (struct abstract_value){.kind = given ? ABSTRACT_NUMBER : ABSTRACT_RESET,
                                       .n = (int32_t)x->code.isa->reset_sp(x->code.machine)};
    return flow_in_context(x, x->code.reset, &start, NULL, false);
}

const struct flow *flow_interrupt(struct flows *x, uint32_t address)
{
    struct abstract_state nothing = {.interrupts = x->code.isa->nests ? ABSTRACT_ON : ABSTRACT_OFF},
                          start = flow_start(x, &nothing);
    return flow_in_context(x, address, &start, NULL, false);
}

const struct flow *flow_any(struct flows *x, uint32_t address)
{
    struct abstract_state any = {.interrupts = ABSTRACT_OFF | ABSTRACT_ON}, start = flow_start(x, &any);
    flow_zero(x, &start);
    return flow_in_context(x, address, &start, NULL, false);
}
