#include "timeline/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    SPACINGS = 100,   /* snapshots a second, around the present */
    CLOSE_BY = 256,   /* instructions before the goal of a seek where one is left for the next seek */
    WORTH_ONE = 2048, /* instructions of running again that are worth a snapshot */
};

/* ---- positions ---- */

struct position timeline_position(const struct timeline *t)
{
    struct position p = {.inputs = t->given};
    t->s.position(t->s.context, &p);
    return p;
}

uint64_t timeline_now(const struct timeline *t)
{
    return timeline_position(t).now;
}

struct digest timeline_digest(const struct timeline *t)
{
    return t->s.digest(t->s.context);
}

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

uint64_t timeline_done(const struct timeline *t)
{
    uint64_t sum = 0;
    struct subject_node n;
    for (uint32_t i = 0; i < t->s.nodes; i++) {
        t->s.look(t->s.context, i, &n);
        sum += n.instructions;
    }
    return sum;
}

int timeline_compare(struct position a, struct position b)
{
    int by = order(a.now, b.now);
    by = by ? by : order(a.inputs, b.inputs);
    by = by ? by : order(a.phase, b.phase);
    return by ? by : order(a.node, b.node);
}

bool timeline_same(struct position a, struct position b)
{
    return timeline_compare(a, b) == 0;
}

bool timeline_before(struct position a, struct position b)
{
    return timeline_compare(a, b) < 0;
}

/* ---- forward ---- */

/* As far as the caller wants to go. */
struct goal {
    struct reach reach;
    size_t inputs; /* none beyond these is given */
};

static struct goal everything(void)
{
    return (struct goal){.reach = {.tick = TIMELINE_NEVER, .instructions = UINT64_MAX}, .inputs = SIZE_MAX};
}

/* A place where it has been. */
static struct goal to_position(struct position p)
{
    struct goal g = everything();
    g.inputs = p.inputs;
    if (p.phase == PHASE_ENDED)
        return g;
    g.reach.tick = p.now;
    g.reach.ready = p.phase == PHASE_READY;
    g.reach.before = p.node;
    return g;
}

static bool input_due(const struct timeline *t, const struct goal *g)
{
    if (t->given >= t->input_count || t->given >= g->inputs)
        return false;
    struct position p = timeline_position(t);
    return timeline_compare(t->inputs[t->given].at, p) <= 0;
}

static void nearer(struct reach *r, uint64_t tick, bool ready, uint32_t before)
{
    bool sooner = tick < r->tick || (tick == r->tick && (!ready || (r->ready && before < r->before)));
    if (!sooner)
        return;
    r->tick = tick;
    r->ready = ready;
    r->before = before;
}

/* Whether the actor's next act is ahead: not while going through what is past. */
static bool acts(const struct timeline *t, const struct goal *g)
{
    return t->actor.act && t->given == t->input_count && t->given < g->inputs;
}

/* Up to the next input or the next place for a snapshot. */
static struct meeting stretch(struct timeline *t, const struct goal *g)
{
    struct position p = timeline_position(t);
    struct reach r = g->reach;
    uint64_t tick = t->snapshots[snapshots_until(t, p) - 1].at.now + t->spacing;
    if (r.search) /* leaves none: only looks up now and then */
        tick = p.now + 8 * t->spacing;
    nearer(&r, tick > p.now ? tick : p.now + t->spacing, false, 0);
    if (t->given < t->input_count && t->given < g->inputs) {
        const struct position *at = &t->inputs[t->given].at;
        nearer(&r, at->now, at->phase == PHASE_READY, at->node);
    }
    if (acts(t, g)) {
        uint64_t next = t->actor.next(t->actor.context);
        if (next != TIMELINE_NEVER) {
            t->s.expect(t->s.context, next);
            nearer(&r, next, false, 0);
        }
    }
    uint64_t done = timeline_done(t);
    bool witnessed = t->witness.begins && !r.search; /* a search may run some of the nodes only */
    if (witnessed)
        t->witness.begins(t->witness.context, p.now);
    struct meeting m = t->s.advance(t->s.context, &r);
    if (witnessed)
        t->witness.ended(t->witness.context, timeline_now(t));
    t->run += timeline_now(t) - p.now;
    t->work += timeline_done(t) - done;
    return m;
}

static bool reached(const struct timeline *t, const struct goal *g)
{
    struct position p = timeline_position(t);
    const struct reach *r = &g->reach;
    bool there =
        p.now > r->tick || (p.now == r->tick && (!r->ready || (p.phase == PHASE_READY && p.node >= r->before)));
    return p.phase == PHASE_ENDED || there ||
           (p.phase == PHASE_READY && p.node == r->node && p.instructions >= r->instructions);
}

static struct input *new_input(struct timeline *t)
{
    t->inputs = memory_grow(t->inputs, &t->input_room, t->input_count, sizeof *t->inputs);
    struct input *i = &t->inputs[t->input_count++];
    *i = (struct input){.at = timeline_position(t)};
    return i;
}

static void free_input(struct timeline *t)
{
    struct input *i = &t->inputs[--t->input_count];
    free(i->bytes);
    if (!i->state)
        return;
    t->used -= i->size;
    t->s.release(i->state);
}

static void forget_future(struct timeline *t)
{
    struct position p = timeline_position(t);
    while (t->snapshot_count > 1 && timeline_compare(t->snapshots[t->snapshot_count - 1].at, p) > 0)
        snapshots_drop(t, t->snapshot_count - 1);
    while (t->input_count > t->given)
        free_input(t);
    t->s.forget(t->s.context);
}

static void let_act(struct timeline *t, const struct goal *g)
{
    struct position p = timeline_position(t);
    while (acts(t, g) && p.phase != PHASE_ENDED && t->actor.next(t->actor.context) <= p.now) {
        forget_future(t);
        struct input *i = new_input(t);
        t->s.yield(t->s.context);
        t->actor.act(t->actor.context);
        i->kind = INPUT_STATE;
        i->state = t->s.take(t->s.context);
        i->size = t->s.cost(t->s.context);
        t->used += i->size;
        t->given++;
    }
}

static void give_due(struct timeline *t, const struct goal *g)
{
    while (input_due(t, g))
        t->s.give(t->s.context, &t->inputs[t->given++]);
    let_act(t, g);
}

static struct timeline_event timeline_event(enum timeline_stop why)
{
    return (struct timeline_event){.why = why};
}

static struct timeline_event of_meeting(struct meeting m)
{
    static const enum timeline_stop why[] = {
        [MET_STOP] = TIMELINE_STOP, [MET_WATCH] = TIMELINE_WATCH, [MET_EXIT] = TIMELINE_EXIT};
    return (struct timeline_event){.why = why[m.what], .node = m.node, .address = m.address, .kind = m.kind};
}

/* Runs to the goal or to a meeting. */
static struct meeting forward(struct timeline *t, const struct goal *g, bool *interrupted)
{
    struct meeting m = {.what = MET_NOTHING};
    *interrupted = false;
    give_due(t, g);
    while (!reached(t, g)) {
        m = stretch(t, g);
        if (m.what != MET_NOTHING)
            break;
        struct position p = timeline_position(t);
        size_t before = snapshots_until(t, p);
        if (!g->reach.search && p.now - t->snapshots[before - 1].at.now >= t->spacing)
            snapshots_take(t);
        give_due(t, g);
        if (!g->reach.blind && !reached(t, g) && t->s.at_stop(t->s.context)) {
            p = timeline_position(t);
            return (struct meeting){.what = MET_STOP, .node = p.node, .instructions = p.instructions};
        }
        if (t->interrupted && t->interrupted(t->context)) {
            *interrupted = true;
            break;
        }
    }
    return m;
}

static bool timeline_counts(const struct timeline *t, uint32_t node)
{
    return !t->counts || t->counts(t->counts_context, node);
}

static struct timeline_event timeline_run_to(struct timeline *t, struct goal g)
{
    bool interrupted;
    if (timeline_position(t).phase == PHASE_ENDED)
        return timeline_event(TIMELINE_END);
    struct meeting m;
    do
        m = forward(t, &g, &interrupted);
    while (m.what == MET_STOP && !timeline_counts(t, m.node) && !reached(t, &g));
    if (m.what == MET_STOP && !timeline_counts(t, m.node))
        m.what = MET_NOTHING;
    if (m.what != MET_NOTHING)
        return of_meeting(m);
    if (interrupted)
        return timeline_event(TIMELINE_INTERRUPTED);
    return timeline_event(timeline_position(t).phase == PHASE_ENDED ? TIMELINE_END : TIMELINE_REACHED);
}

struct timeline_event timeline_step(struct timeline *t, uint32_t node, uint64_t until)
{
    struct goal g = everything();
    struct subject_node n;
    t->s.look(t->s.context, node, &n);
    if (n.ended)
        return timeline_event(TIMELINE_END);
    g.reach.node = node;
    g.reach.instructions = n.instructions + !n.waits;
    g.reach.tick = until;
    struct timeline_event e = timeline_run_to(t, g);
    struct position p = timeline_position(t);
    bool done = p.phase == PHASE_READY && p.node == node && p.instructions >= g.reach.instructions;
    return e.why == TIMELINE_REACHED && !done ? timeline_event(TIMELINE_LIMIT) : e;
}

void timeline_heed(struct timeline *t)
{
    t->s.heed(t->s.context);
}

struct timeline_event timeline_run_until(struct timeline *t, uint64_t tick)
{
    struct goal g = everything();
    g.reach.tick = tick;
    return timeline_run_to(t, g);
}

/* ---- to a place ---- */

/* Runs there without stops: it is not far. */
static void timeline_arrive(struct timeline *t, const struct goal *g)
{
    bool interrupted;
    bool (*ask)(void *) = t->interrupted;
    t->interrupted = NULL;
    forward(t, g, &interrupted);
    t->interrupted = ask;
}

/* How many snapshots lie before all that a node does after so many instructions. */
static size_t snapshots_before(struct timeline *t, uint32_t node, uint64_t instructions)
{
    size_t low = 0, high = t->snapshot_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (snapshots_done_at(t, middle, node) < instructions)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From the nearest snapshot to the state in which a node has done that many instructions and its next is to come, which
 * was so before a position. */
static void go_to_instruction(struct timeline *t, uint32_t node, uint64_t instructions, struct position until)
{
    size_t i = snapshots_before(t, node, instructions);
    snapshots_restore(t, i ? i - 1 : 0);
    struct goal g = everything();
    g.reach.blind = true;
    g.reach.node = node;
    g.reach.instructions = instructions;
    g.inputs = until.inputs;
    if (until.phase != PHASE_ENDED)
        g.reach.tick = until.now + 1;
    if (instructions - snapshots_done_at(t, i ? i - 1 : 0, node) > WORTH_ONE) {
        struct goal close = g;
        close.reach.instructions = instructions - CLOSE_BY;
        timeline_arrive(t, &close);
        snapshots_take(t);
    }
    timeline_arrive(t, &g);
}

struct timeline_event timeline_go(struct timeline *t, struct position to)
{
    struct goal g = to_position(to);
    size_t i = snapshots_until(t, to);
    g.reach.blind = true;
    snapshots_restore(t, i ? i - 1 : 0);
    timeline_arrive(t, &g);
    return timeline_event(TIMELINE_REACHED);
}

uint64_t timeline_again(struct timeline *t, uint64_t tick)
{
    struct position here = timeline_position(t);
    struct goal g = to_position(here);
    bool interrupted;
    size_t i = snapshots_until(t, here);
    while (i > 1 && t->snapshots[i - 1].at.now > tick)
        i--;
    g.reach.blind = true;
    snapshots_restore(t, i - 1);
    uint64_t from = timeline_now(t);
    forward(t, &g, &interrupted);
    if (interrupted)
        timeline_go(t, here);
    return interrupted ? TIMELINE_NEVER : from;
}

struct timeline_event timeline_seek(struct timeline *t, uint64_t tick)
{
    struct position p = timeline_position(t);
    size_t i = t->snapshot_count;
    while (i > 1 && t->snapshots[i - 1].at.now > tick)
        i--;
    if (tick < p.now || timeline_compare(t->snapshots[i - 1].at, p) > 0)
        snapshots_restore(t, i - 1);
    struct goal g = everything();
    g.reach.tick = tick;
    g.reach.blind = true;
    return timeline_run_to(t, g);
}

/* ---- backward ---- */

static bool is_next(const struct timeline *t, uint32_t node)
{
    struct position p = timeline_position(t);
    return p.phase == PHASE_READY && p.node == node;
}

struct timeline_event timeline_step_back(struct timeline *t, uint32_t node)
{
    struct position p = timeline_position(t);
    struct subject_node n;
    t->s.look(t->s.context, node, &n);
    if (n.ended) { /* a fault may have left its instruction undone */
        go_to_instruction(t, node, n.instructions, p);
        if (is_next(t, node))
            return timeline_event(TIMELINE_REACHED);
    }
    if (n.instructions == snapshots_done_at(t, 0, node)) {
        snapshots_restore(t, 0);
        return timeline_event(TIMELINE_BEGIN);
    }
    go_to_instruction(t, node, n.instructions - 1, p);
    return timeline_event(TIMELINE_REACHED);
}

static bool search_counts(void *context, uint32_t node)
{
    return timeline_counts(context, node);
}

/* Of what the nodes met, the last in the order of all; there it is afterwards. */
static bool go_to_last(struct timeline *t, const struct meeting *met, struct position until, struct meeting *last)
{
    struct position best = {.now = 0};
    uint32_t found = 0, here = 0;
    for (uint32_t i = 0; i < t->s.nodes; i++) {
        if (met[i].what == MET_NOTHING)
            continue;
        go_to_instruction(t, i, met[i].instructions, until);
        struct position p = timeline_position(t);
        here = i;
        if (found++ && timeline_before(p, best))
            continue;
        best = p;
        *last = met[i];
    }
    if (found && here != last->node)
        timeline_go(t, best);
    return found;
}

/* The last meeting between a snapshot and a position, and goes there; false if there was none. */
static bool last_meeting(struct timeline *t, size_t from, struct position until, struct meeting *last,
                         bool *interrupted)
{
    struct goal g = to_position(until);
    struct search search = {memory_array(t->s.nodes, sizeof *search.last), search_counts, t, NULL};
    g.reach.search = &search;
    snapshots_restore(t, from);
    search.until = t->given == until.inputs ? &until : NULL;
    struct meeting m = {.what = MET_NOTHING};
    struct position p = timeline_position(t);
    if (timeline_before(p, until) && t->s.at_stop(t->s.context))
        m = (struct meeting){.what = MET_STOP, .node = p.node, .instructions = p.instructions};
    *interrupted = false;
    do {
        if (m.what == MET_STOP && timeline_counts(t, m.node))
            search.last[m.node] = m;
        m = reached(t, &g) ? (struct meeting){.what = MET_NOTHING} : forward(t, &g, interrupted);
    } while (!*interrupted && (m.what != MET_NOTHING || !reached(t, &g)));
    bool found = !*interrupted && go_to_last(t, search.last, until, last);
    free(search.last);
    return found;
}

/* In strides of ever more snapshots: what is near is found soon, what is far without restoring too often. */
struct timeline_event timeline_run_back(struct timeline *t)
{
    enum { LONGEST = 64 };
    struct position here = timeline_position(t), until = here;
    for (size_t stride = 1, i = snapshots_until(t, here); i > 0; stride = stride < LONGEST ? 2 * stride : LONGEST) {
        struct meeting m = {.what = MET_NOTHING};
        bool interrupted;
        size_t back = i > 1 && timeline_same(t->snapshots[i - 1].at, until) ? stride + 1 : stride;
        i = i > back ? i - back : 0;
        bool found = last_meeting(t, i, until, &m, &interrupted);
        if (interrupted) {
            timeline_go(t, here);
            return timeline_event(TIMELINE_INTERRUPTED);
        }
        if (found)
            return of_meeting(m);
        until = t->snapshots[i].at;
    }
    snapshots_restore(t, 0);
    return timeline_event(TIMELINE_BEGIN);
}

/* ---- inputs ---- */

bool timeline_give(struct timeline *t, uint32_t node, enum input_kind kind, uint32_t where, uint32_t value,
                   const void *bytes, size_t size)
{
    if (timeline_position(t).phase == PHASE_ENDED || !t->s.takes(t->s.context, node))
        return false;
    forget_future(t);
    struct input *i = new_input(t);
    i->kind = kind;
    i->node = node;
    i->where = where;
    i->value = value;
    i->size = size;
    i->bytes = size ? memory_copy(bytes, size) : NULL;
    t->given++;
    t->s.give(t->s.context, i);
    return true;
}

const struct input *timeline_inputs(const struct timeline *t, size_t *count)
{
    *count = t->input_count;
    return t->inputs;
}

void timeline_filter(struct timeline *t, bool (*asked)(void *context, uint32_t node), void *context)
{
    t->counts = asked;
    t->counts_context = context;
}

void timeline_actor(struct timeline *t, struct timeline_actor a)
{
    t->actor = a;
}

void timeline_witness(struct timeline *t, struct timeline_witness w)
{
    t->witness = w;
}

/* ---- life ---- */

struct timeline *timeline_new(struct subject s, size_t memory, bool (*interrupted)(void *context), void *context)
{
    struct timeline *t = memory_new(sizeof *t);
    t->s = s;
    t->budget = memory;
    t->interrupted = interrupted;
    t->context = context;
    t->spacing = s.hz / SPACINGS ? s.hz / SPACINGS : 1;
    s.advance(s.context, &(struct reach){.tick = 0, .instructions = UINT64_MAX, .blind = true});
    snapshots_take(t);
    return t;
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    while (t->snapshot_count)
        snapshots_drop(t, t->snapshot_count - 1);
    while (t->input_count)
        free_input(t);
    t->s.end(t->s.context);
    spill_free(t->spill);
    free(t->inputs);
    free(t->snapshots);
    free(t);
}

uint64_t timeline_run(const struct timeline *t)
{
    return t->run;
}

uint64_t timeline_work(const struct timeline *t)
{
    return t->work;
}

size_t timeline_snapshots(const struct timeline *t)
{
    return t->snapshot_count;
}

size_t timeline_memory(const struct timeline *t)
{
    return t->used;
}

uint64_t timeline_spilled(const struct timeline *t)
{
    return t->spill ? spill_size(t->spill) : 0;
}
