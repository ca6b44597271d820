#include "analysis/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"

enum {
    HIGHEST = 1 << 20,  /* stack pointers are below it */
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

/* A walk under way. */
struct trip {
    struct walks *x;
    struct walk *walk;
    struct visit **table; /* by address, with open addressing */
    size_t size, count;
    struct visit **waiting;
    size_t waiting_count, waiting_room;
    bool measures; /* nothing new is found any more: depths and edges are taken */
};

/* ---- doubts ---- */

static bool walk_same_doubt(const struct walk_doubt *a, const struct walk_doubt *b)
{
    return a->kind == b->kind && a->at == b->at && a->to == b->to;
}

static void walk_doubt(struct walks *x, struct walk_doubt d)
{
    bool known = x->silent;
    for (size_t i = 0; i < x->doubt_count && !known; i++)
        known = walk_same_doubt(&x->doubts[i], &d);
    if (known) {
        free(d.cycle);
        return;
    }
    x->doubts = memory_grow(x->doubts, &x->doubt_room, x->doubt_count, sizeof d);
    x->doubts[x->doubt_count++] = d;
}

static void walk_doubt_at(struct trip *t, enum walk_doubt_kind kind, uint32_t at)
{
    walk_doubt(t->x, (struct walk_doubt){.kind = kind, .at = at});
}

static void walk_doubt_recursion(struct trip *t, uint32_t at, uint32_t to, bool indirect)
{
    struct walk_doubt d = {.kind = WALK_RECURSION, .at = at, .to = to, .indirect = indirect};
    for (const struct walk *w = t->walk; w; w = w->entry == to ? NULL : w->caller) {
        d.indirect |= w->entry != to && w->indirect;
        d.cycle_count++;
    }
    d.cycle = memory_array(d.cycle_count, sizeof *d.cycle);
    size_t i = d.cycle_count;
    for (const struct walk *w = t->walk; i > 0; w = w->caller)
        d.cycle[--i] = w->entry;
    walk_doubt(t->x, d);
}

/* ---- visits ---- */

static struct visit **walk_slot(struct visit **table, size_t size, uint32_t at)
{
    size_t i = (at * UINT32_C(2654435761)) & (size - 1);
    while (table[i] && table[i]->at != at)
        i = (i + 1) & (size - 1);
    return &table[i];
}

static void walk_make_room(struct trip *t)
{
    if (t->count * 2 < t->size)
        return;
    size_t size = t->size ? 2 * t->size : 64;
    struct visit **table = memory_array(size, sizeof *table);
    for (size_t i = 0; i < t->size; i++)
        if (t->table[i])
            *walk_slot(table, size, t->table[i]->at) = t->table[i];
    free(t->table);
    t->table = table;
    t->size = size;
}

static void walk_wait(struct trip *t, struct visit *v)
{
    if (v->waiting)
        return;
    v->waiting = true;
    t->waiting = memory_grow(t->waiting, &t->waiting_room, t->waiting_count, sizeof *t->waiting);
    t->waiting[t->waiting_count++] = v;
}

/* A path comes to an instruction. */
static void walk_come(struct trip *t, uint32_t at, const struct abstract_state *s)
{
    if (t->measures)
        return;
    if (at == t->x->code.reset && t->walk->entry != at) {
        t->walk->restarts = true;
        return;
    }
    walk_make_room(t);
    struct visit **slot = walk_slot(t->table, t->size, at);
    if (!*slot) {
        *slot = memory_new(sizeof **slot);
        (*slot)->at = at;
        (*slot)->state = *s;
        t->count++;
        walk_wait(t, *slot);
        return;
    }
    struct visit *v = *slot;
    int32_t sp = v->state.sp.n;
    bool mixed = false, changed = abstract_join(&v->state, s, &mixed);
    if (mixed)
        walk_doubt_at(t, WALK_STACK_POINTER, at);
    if (v->state.sp.n < sp && ++v->deeper > DEEPER_LIMIT) {
        walk_doubt_at(t, WALK_GROWS, at);
        return;
    }
    if (changed)
        walk_wait(t, v);
}

/* ---- depths ---- */

/* Bytes on the stack, counted from the function's entry or, for the reset's walk, from the highest address. */
static bool walk_bytes(const struct abstract_state *s, uint32_t *bytes)
{
    if (s->sp.kind == ABSTRACT_NUMBER)
        *bytes = (uint32_t)(HIGHEST - s->sp.n);
    else
        *bytes = s->sp.n < 0 ? (uint32_t)-s->sp.n : 0;
    return s->sp.kind != ABSTRACT_RESET;
}

/* Of places with the same depth, the one that follows the function's entry first is kept. */
static void walk_deeper(struct walk_depth *d, uint32_t entry, uint32_t own, uint32_t at, const struct walk *callee,
                        const struct walk_depth *of_callee)
{
    uint32_t bytes = own + (of_callee ? of_callee->bytes : 0);
    if (d->there && (bytes < d->bytes || (bytes == d->bytes && at - entry >= d->at - entry)))
        return;
    *d = (struct walk_depth){true, bytes, own, at, callee};
}

/* The depth at an instruction, before it is executed; with a callee, the depth that it adds to `pushed` bytes. */
static void walk_measure(struct trip *t, uint32_t at, const struct abstract_state *s, unsigned pushed,
                         const struct walk *callee)
{
    uint32_t own;
    if (!t->measures || !walk_bytes(s, &own))
        return;
    if (callee) {
        walk_deeper(&t->walk->deepest, t->walk->entry, own + pushed, at, callee, &callee->deepest);
        if (callee->open.there)
            walk_deeper(&t->walk->open, t->walk->entry, own + pushed, at, callee, &callee->open);
        return;
    }
    walk_deeper(&t->walk->deepest, t->walk->entry, own, at, NULL, NULL);
    if (s->interrupts & ABSTRACT_ON)
        walk_deeper(&t->walk->open, t->walk->entry, own, at, NULL, NULL);
    if (s->sp.kind == ABSTRACT_NUMBER && (uint32_t)s->sp.n > t->walk->top)
        t->walk->top = (uint32_t)s->sp.n;
}

static void walk_edge(struct trip *t, uint32_t from, uint32_t to, enum abstract_flow flow)
{
    struct walks *x = t->x;
    if (!t->measures)
        return;
    x->edges = memory_grow(x->edges, &x->edge_room, x->edge_count, sizeof *x->edges);
    x->edges[x->edge_count++] = (struct walk_edge){from, to, flow};
}

uint32_t walk_below_top(uint32_t top, uint32_t bytes)
{
    uint32_t above = HIGHEST - top;
    return bytes > above ? bytes - above : 0;
}

/* ---- calls ---- */

static struct walk *walk_in_context(struct walks *x, uint32_t entry, const struct abstract_state *start,
                                    const struct walk *caller, bool indirect);

static bool walk_is_active(const struct trip *t, uint32_t entry)
{
    const struct walk *w = t->walk;
    while (w && w->entry != entry)
        w = w->caller;
    return w;
}

/* What a callee sees of its caller. */
static struct abstract_state walk_start(const struct walks *x, const struct abstract_state *caller)
{
    struct abstract_state s = {.sp = {.kind = ABSTRACT_FRAME}, .interrupts = caller->interrupts};
    for (unsigned i = 0; i < x->code.isa->registers; i++) {
        struct abstract_value v = caller->r[i];
        s.r[i] = v.kind == ABSTRACT_STATUS ? v : (struct abstract_value){.kind = ABSTRACT_ENTRY, .n = (int32_t)i};
    }
    return s;
}

static void walk_zero(const struct walks *x, struct abstract_state *s)
{
    if (x->code.isa->zero >= 0)
        s->r[x->code.isa->zero] = abstract_number(0);
}

/* What the caller finds when the callee has returned. */
static void walk_returned(const struct walks *x, struct abstract_state *s, const struct abstract_state *exit)
{
    struct abstract_state before = *s;
    for (unsigned i = 0; i < x->code.isa->registers; i++) {
        struct abstract_value v = exit->r[i];
        bool kept = v.kind == ABSTRACT_NUMBER || v.kind == ABSTRACT_STATUS;
        s->r[i] = v.kind == ABSTRACT_ENTRY ? before.r[v.n] : kept ? v : (struct abstract_value){0};
    }
    walk_zero(x, s);
    s->interrupts = exit->interrupts;
    s->carry = (struct abstract_value){0};
    s->tested = 0;
}

static void walk_join_exit(struct walk *w, const struct abstract_state *s)
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
static bool walk_call(struct trip *t, uint32_t at, uint32_t entry, const struct abstract_state *s, unsigned pushed,
                      bool indirect, struct abstract_state *after)
{
    *after = *s;
    abstract_move_stack(after, 0);
    if (entry == t->x->code.reset) {
        t->walk->restarts = true;
        return false;
    }
    if (t->measures && s->sp.kind == ABSTRACT_RESET)
        t->walk->top = (uint32_t)s->sp.n;
    if (walk_is_active(t, entry)) {
        walk_doubt_recursion(t, at, entry, indirect);
        return true;
    }
    struct abstract_state start = walk_start(t->x, s);
    walk_zero(t->x, &start);
    struct walk *callee = walk_in_context(t->x, entry, &start, t->walk, indirect);
    walk_measure(t, at, after, pushed, callee);
    if (callee->returns)
        walk_returned(t->x, after, &callee->exit);
    return callee->returns;
}

/* Calls every function that a pointer may lead to. False if none of them returns. */
static bool walk_call_taken(struct trip *t, uint32_t at, const struct abstract_state *s, unsigned pushed,
                            struct abstract_state *after)
{
    size_t count;
    const uint32_t *callees = code_callees(&t->x->code, at, &count);
    bool returns = false, mixed;
    *after = *s;
    if (!count) {
        walk_doubt_at(t, WALK_ANYWHERE, at);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        struct abstract_state one;
        if (!walk_call(t, at, callees[i], s, pushed, true, &one))
            continue;
        if (returns)
            abstract_join(after, &one, &mixed);
        else
            *after = one;
        returns = true;
    }
    if (t->measures) {
        struct walks *x = t->x;
        x->indirect = memory_grow(x->indirect, &x->indirect_room, x->indirect_count, sizeof *x->indirect);
        x->indirect[x->indirect_count++] = at;
    }
    return returns;
}

/* ---- one instruction ---- */

static unsigned walk_return_bytes(const struct trip *t)
{
    const struct machine *m = t->x->code.machine;
    return m->chip->isa->return_size(m);
}

/* A jump to an unknown address is a call of what a pointer leads to, which returns to this function's caller. */
static void walk_jump_anywhere(struct trip *t, uint32_t at, const struct abstract_state *s)
{
    struct abstract_state after;
    if (walk_call_taken(t, at, s, 0, &after))
        walk_join_exit(t->walk, &after);
}

static void walk_return(struct trip *t, uint32_t at, struct abstract_state *s, bool interrupt)
{
    if (s->sp.kind == ABSTRACT_FRAME && s->sp.n < 0 && !interrupt) { /* to an address that it has pushed */
        s->sp.n += (int32_t)walk_return_bytes(t);
        walk_jump_anywhere(t, at, s);
        return;
    }
    if (s->sp.kind == ABSTRACT_FRAME && s->sp.n != 0)
        walk_doubt_at(t, WALK_RETURN, at);
    if (interrupt)
        s->interrupts = ABSTRACT_ON;
    walk_join_exit(t->walk, s);
}

/* Where an entry of a table leads, past a jump that the linker has put in between. */
static uint32_t walk_entry_of(const struct code *c, uint32_t table)
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
static void walk_table(struct trip *t, uint32_t at, uint32_t table, const struct abstract_state *s)
{
    const struct code *c = &t->x->code;
    uint32_t first, end;
    if (!code_function(c, walk_entry_of(c, table), &first, &end)) {
        walk_jump_anywhere(t, at, s);
        return;
    }
    for (unsigned i = 0; i < TABLE_LIMIT; i++) {
        uint32_t to = walk_entry_of(c, table + 2 * i);
        if (to < first || to >= end || !(c->known[to] & CODE_BOUNDARY))
            break;
        walk_edge(t, at, to, ABSTRACT_TABLE);
        walk_come(t, to, s);
    }
}

static void walk_jumps(struct trip *t, uint32_t at, uint32_t first, const struct abstract_state *s)
{
    const struct code *c = &t->x->code;
    uint32_t to = first;
    for (unsigned i = 0; i < TABLE_LIMIT; i++) {
        struct abstract_state trial = *s;
        struct abstract_step step;
        c->isa->step(c->machine, to, &trial, &step);
        if (step.flow != ABSTRACT_JUMP)
            break;
        walk_edge(t, at, to, ABSTRACT_TABLE);
        walk_come(t, to, s);
        to += step.size;
    }
    if (to == first)
        walk_jump_anywhere(t, at, s);
}

static void walk_doubt_stack(struct trip *t, uint32_t at, const struct abstract_state *before, struct abstract_state *s,
                             const struct abstract_step *step)
{
    if (step->lost)
        walk_doubt_at(t, WALK_STACK_POINTER, at);
    if (before->sp.kind == ABSTRACT_FRAME && s->sp.kind == ABSTRACT_NUMBER) {
        walk_doubt_at(t, WALK_OTHER_STACK, at);
        s->sp = before->sp;
    }
    /* A push comes first: the stack is the one that the chip has set up. */
    bool used = before->sp.kind == ABSTRACT_RESET && s->sp.kind == ABSTRACT_NUMBER && s->sp.n < before->sp.n &&
                before->sp.n - s->sp.n <= FIRST_PUSH;
    if (t->measures && used)
        t->walk->top = (uint32_t)before->sp.n;
}

/* To the next instruction, where that is not the only way. */
static void walk_go_on(struct trip *t, uint32_t at, const struct abstract_step *step, const struct abstract_state *s)
{
    walk_edge(t, at, at + step->size, ABSTRACT_NEXT);
    walk_come(t, at + step->size, s);
}

static void walk_step(struct trip *t, const struct visit *v)
{
    const struct code *c = &t->x->code;
    uint32_t at = v->at;
    struct abstract_state s = v->state, after;
    struct abstract_step step;
    if (t->measures && at < c->machine->code_size)
        t->x->visited[at] = 1;
    walk_measure(t, at, &s, 0, NULL);
    c->isa->step(c->machine, at, &s, &step);
    walk_doubt_stack(t, at, &v->state, &s, &step);
    switch (step.flow) {
    case ABSTRACT_NEXT: walk_come(t, at + step.size, &s); break;
    case ABSTRACT_BRANCH: walk_go_on(t, at, &step, &s); __attribute__((fallthrough));
    case ABSTRACT_JUMP:
        walk_edge(t, at, step.target, step.flow);
        walk_come(t, step.target, &s);
        break;
    case ABSTRACT_CALL:
        walk_edge(t, at, step.target, step.flow);
        if (walk_call(t, at, step.target, &s, walk_return_bytes(t), false, &after))
            walk_go_on(t, at, &step, &after);
        break;
    case ABSTRACT_CALL_ANYWHERE:
        if (walk_call_taken(t, at, &s, walk_return_bytes(t), &after))
            walk_go_on(t, at, &step, &after);
        break;
    case ABSTRACT_RETURN:
    case ABSTRACT_LEAVE: walk_return(t, at, &s, step.flow == ABSTRACT_LEAVE); break;
    case ABSTRACT_TABLE: walk_table(t, at, step.target, &s); break;
    case ABSTRACT_JUMPS: walk_jumps(t, at, step.target, &s); break;
    case ABSTRACT_JUMP_ANYWHERE: walk_jump_anywhere(t, at, &s); break;
    case ABSTRACT_END: break;
    }
}

/* ---- whole functions ---- */

static void walk_finish(struct trip *t)
{
    t->measures = true;
    for (size_t i = 0; i < t->size; i++)
        if (t->table[i])
            walk_step(t, t->table[i]);
    for (size_t i = 0; i < t->size; i++)
        free(t->table[i]);
    free(t->table);
    free(t->waiting);
}

static void walk_go(struct walks *x, struct walk *w)
{
    struct trip t = {.x = x, .walk = w};
    walk_come(&t, w->entry, &w->start);
    while (t.waiting_count) {
        struct visit *v = t.waiting[--t.waiting_count];
        v->waiting = false;
        walk_step(&t, v);
    }
    walk_finish(&t);
    w->caller = NULL;
}

static bool walk_same_context(const struct walks *x, const struct abstract_state *a, const struct abstract_state *b)
{
    bool same = a->interrupts == b->interrupts && a->sp.kind == b->sp.kind;
    for (unsigned i = 0; i < x->code.isa->registers && same; i++)
        same = abstract_equal(a->r[i], b->r[i]);
    return same;
}

static struct walk *walk_in_context(struct walks *x, uint32_t entry, const struct abstract_state *start,
                                    const struct walk *caller, bool indirect)
{
    struct walk **bucket = &x->buckets[entry / 2 % WALK_BUCKETS];
    for (struct walk *w = *bucket; w; w = w->next)
        if (w->entry == entry && walk_same_context(x, &w->start, start))
            return w;
    struct walk *w = memory_new(sizeof *w);
    *w = (struct walk){.entry = entry, .start = *start, .caller = caller, .indirect = indirect, .next = *bucket};
    *bucket = w;
    walk_go(x, w);
    return w;
}

void walks_begin(struct walks *x, const struct machine *m)
{
    *x = (struct walks){.visited = memory_new(m->code_size)};
    code_find(&x->code, m);
}

void walks_end(struct walks *x)
{
    for (size_t i = 0; i < WALK_BUCKETS; i++)
        for (struct walk *w = x->buckets[i], *next; w; w = next) {
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

const struct walk *walk_reset(struct walks *x)
{
    struct abstract_state nothing = {.interrupts = ABSTRACT_OFF}, start = walk_start(x, &nothing);
    start.sp = (struct abstract_value){.kind = ABSTRACT_RESET, .n = (int32_t)x->code.isa->reset_sp(x->code.machine)};
    return walk_in_context(x, x->code.reset, &start, NULL, false);
}

const struct walk *walk_interrupt(struct walks *x, uint32_t address)
{
    struct abstract_state nothing = {.interrupts = ABSTRACT_OFF}, start = walk_start(x, &nothing);
    return walk_in_context(x, address, &start, NULL, false);
}

const struct walk *walk_any(struct walks *x, uint32_t address)
{
    struct abstract_state any = {.interrupts = ABSTRACT_OFF | ABSTRACT_ON}, start = walk_start(x, &any);
    walk_zero(x, &start);
    return walk_in_context(x, address, &start, NULL, false);
}
