#include "timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "timeline/spill.h"

enum {
    SPACINGS = 100,   /* snapshots a second, around the present */
    CLOSE_BY = 256,   /* instructions before the goal of a seek where one is left for the next seek */
    WORTH_ONE = 2048, /* instructions of running again that are worth a snapshot */
    FEWEST = 16,      /* snapshots kept, however small the budget */
    SPARSE = 10,      /* spacings between snapshots on disk, at least */
    DISK = 8,         /* times the budget of memory */
};

struct mark {
    struct position at;
    void *state; /* NULL: it is not in memory */
    size_t cost;
    uint64_t *done; /* of a state that is not: instructions, by node; NULL: not known yet */
    struct spilled spilled;
    void *(*recall)(void *context, size_t key); /* somebody else has it; NULL: it is on disk */
    void *context;
    size_t key;
};

struct timeline {
    struct subject s;
    size_t budget, used;
    bool (*interrupted)(void *context);
    void *context;
    uint64_t spacing; /* ticks */
    struct mark *marks;
    size_t mark_count, mark_room;
    struct spill *spill; /* or NULL */
    struct input *inputs;
    size_t input_count, input_room;
    size_t given; /* inputs, on the way to here */
    uint64_t run; /* ticks */
    struct timeline_actor actor;
    bool (*counts)(void *context, uint32_t node);
    void *counts_context;
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

static int compare(struct position a, struct position b)
{
    int by = order(a.now, b.now);
    by = by ? by : order(a.inputs, b.inputs);
    by = by ? by : order(a.phase, b.phase);
    return by ? by : order(a.node, b.node);
}

bool timeline_same(struct position a, struct position b)
{
    return compare(a, b) == 0;
}

bool timeline_before(struct position a, struct position b)
{
    return compare(a, b) < 0;
}

/* ---- snapshots ---- */

/* How many marks lie at or before the position. */
static size_t marks_until(const struct timeline *t, struct position p)
{
    size_t low = 0, high = t->mark_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare(t->marks[middle].at, p) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void drop(struct timeline *t, size_t i)
{
    t->used -= t->marks[i].cost;
    if (t->marks[i].state)
        t->s.release(t->marks[i].state);
    free(t->marks[i].done);
    t->mark_count--;
    memmove(t->marks + i, t->marks + i + 1, (t->mark_count - i) * sizeof *t->marks);
}

static void note_done(struct timeline *t, struct mark *m, const void *state)
{
    m->done = malloc((t->s.nodes + 1) * sizeof *m->done);
    if (!m->done)
        abort();
    for (uint32_t i = 0; i < t->s.nodes; i++)
        m->done[i] = t->s.done(state, i);
}

/* Moves a snapshot to disk; false if it cannot be, or need not. */
static bool spill(struct timeline *t, size_t i)
{
    struct mark *m = &t->marks[i];
    struct pack p = {.bytes = NULL};
    if (!t->s.pack || m[1].at.now - m[-1].at.now < 2 * SPARSE * t->spacing)
        return false;
    if (!t->spill)
        t->spill = spill_new();
    if (spill_size(t->spill) / DISK > t->budget)
        return false;
    t->s.pack(m->state, &p);
    bool good = spill_put(t->spill, &p, &m->spilled);
    pack_free(&p);
    if (!good)
        return false;
    note_done(t, m, m->state);
    t->s.release(m->state);
    m->state = NULL;
    t->used -= m->cost;
    m->cost = 0;
    return true;
}

/* Takes out of memory what is missed least: the snapshot whose absence makes a short gap, seen from the present. */
static void thin(struct timeline *t, uint64_t now)
{
    size_t worst = 0;
    double least = 1e300;
    for (size_t i = 1; i + 1 < t->mark_count; i++) {
        if (!t->marks[i].state)
            continue;
        uint64_t at = t->marks[i].at.now, far = at > now ? at - now : now - at;
        double gap = (double)(t->marks[i + 1].at.now - t->marks[i - 1].at.now);
        double missed = gap / ((double)far + (double)t->spacing);
        if (missed < least) {
            least = missed;
            worst = i;
        }
    }
    if (worst && !spill(t, worst))
        drop(t, worst);
}

static size_t in_memory(const struct timeline *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->mark_count && count <= FEWEST; i++)
        count += t->marks[i].state != NULL;
    return count;
}

static struct mark *make_room(struct timeline *t, size_t at)
{
    if (t->mark_count == t->mark_room) {
        t->mark_room = t->mark_room ? 2 * t->mark_room : 64;
        t->marks = realloc(t->marks, t->mark_room * sizeof *t->marks);
        if (!t->marks)
            abort();
    }
    memmove(t->marks + at + 1, t->marks + at, (t->mark_count - at) * sizeof *t->marks);
    t->mark_count++;
    return &t->marks[at];
}

static void mark(struct timeline *t)
{
    struct position p = timeline_position(t);
    size_t i = marks_until(t, p);
    if (i && timeline_same(t->marks[i - 1].at, p))
        return;
    size_t cost = t->s.cost(t->s.context) + sizeof *t->marks;
    *make_room(t, i) = (struct mark){.at = p, .state = t->s.take(t->s.context), .cost = cost};
    t->used += cost;
    while (t->used > t->budget && in_memory(t) > FEWEST)
        thin(t, p.now);
}

void timeline_adopt(struct timeline *t, struct position at, void *(*recall)(void *context, size_t key), void *context,
                    size_t key)
{
    size_t i = marks_until(t, at);
    if (i && !timeline_same(t->marks[i - 1].at, at)) /* the beginning is the timeline's own */
        *make_room(t, i) = (struct mark){.at = at, .recall = recall, .context = context, .key = key};
}

/* A state that is not in memory; NULL if it cannot be had. */
static void *recalled(struct timeline *t, const struct mark *m)
{
    if (m->recall)
        return m->recall(m->context, m->key);
    uint8_t *bytes = spill_get(t->spill, &m->spilled);
    struct unpack u = {.at = bytes, .end = bytes ? bytes + m->spilled.size : NULL};
    void *state = bytes ? t->s.unpack(t->s.context, &u) : NULL;
    free(bytes);
    return state;
}

/* Instructions a node had done at a mark. */
static uint64_t done_at(struct timeline *t, size_t i, uint32_t node)
{
    struct mark *m = &t->marks[i];
    if (m->state)
        return t->s.done(m->state, node);
    if (!m->done) {
        void *state = recalled(t, m);
        if (!state)
            return i ? done_at(t, i - 1, node) : 0;
        note_done(t, m, state);
        t->s.release(state);
    }
    return m->done[node];
}

/* Where a snapshot cannot be had again, from the one before it. */
static void restore(struct timeline *t, size_t i)
{
    void *state = t->marks[i].state, *lent = NULL;
    while (!state && !(state = lent = recalled(t, &t->marks[i])))
        state = t->marks[--i].state;
    t->s.restore(t->s.context, state);
    t->given = t->marks[i].at.inputs;
    if (lent)
        t->s.release(lent);
}

/* ---- forward ---- */

/* As far as somebody wants to go. */
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
    return compare(t->inputs[t->given].at, p) <= 0;
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
    uint64_t tick = t->marks[marks_until(t, p) - 1].at.now + t->spacing;
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
    struct meeting m = t->s.advance(t->s.context, &r);
    t->run += timeline_now(t) - p.now;
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
    if (t->input_count == t->input_room) {
        t->input_room = t->input_room ? 2 * t->input_room : 16;
        t->inputs = realloc(t->inputs, t->input_room * sizeof *t->inputs);
        if (!t->inputs)
            abort();
    }
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
    while (t->mark_count > 1 && compare(t->marks[t->mark_count - 1].at, p) > 0)
        drop(t, t->mark_count - 1);
    while (t->input_count > t->given)
        free_input(t);
}

static void let_act(struct timeline *t, const struct goal *g)
{
    struct position p = timeline_position(t);
    while (acts(t, g) && p.phase != PHASE_ENDED && t->actor.next(t->actor.context) <= p.now) {
        forget_future(t);
        struct input *i = new_input(t);
        t->s.yield(t->s.context);
        t->actor.act(t->actor.context);
        t->s.resume(t->s.context);
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

static struct timeline_event event(enum timeline_stop why)
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
        size_t before = marks_until(t, p);
        if (!g->reach.search && p.now - t->marks[before - 1].at.now >= t->spacing)
            mark(t);
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

static bool counts(const struct timeline *t, uint32_t node)
{
    return !t->counts || t->counts(t->counts_context, node);
}

static struct timeline_event run_to(struct timeline *t, struct goal g)
{
    bool interrupted;
    if (timeline_position(t).phase == PHASE_ENDED)
        return event(TIMELINE_END);
    struct meeting m;
    do
        m = forward(t, &g, &interrupted);
    while (m.what == MET_STOP && !counts(t, m.node) && !reached(t, &g));
    if (m.what == MET_STOP && !counts(t, m.node))
        m.what = MET_NOTHING;
    if (m.what != MET_NOTHING)
        return of_meeting(m);
    if (interrupted)
        return event(TIMELINE_INTERRUPTED);
    return event(timeline_position(t).phase == PHASE_ENDED ? TIMELINE_END : TIMELINE_REACHED);
}

struct timeline_event timeline_step(struct timeline *t, uint32_t node)
{
    struct goal g = everything();
    struct subject_node n;
    t->s.look(t->s.context, node, &n);
    if (n.ended)
        return event(TIMELINE_END);
    g.reach.node = node;
    g.reach.instructions = n.instructions + !n.waits;
    return run_to(t, g);
}

struct timeline_event timeline_run_until(struct timeline *t, uint64_t tick)
{
    struct goal g = everything();
    g.reach.tick = tick;
    return run_to(t, g);
}

/* ---- to a place ---- */

/* Runs there whatever happens: it is not far. */
static void arrive(struct timeline *t, const struct goal *g)
{
    bool interrupted;
    bool (*ask)(void *) = t->interrupted;
    t->interrupted = NULL;
    forward(t, g, &interrupted);
    t->interrupted = ask;
}

/* How many marks lie before all that a node does after so many instructions. */
static size_t marks_before(struct timeline *t, uint32_t node, uint64_t instructions)
{
    size_t low = 0, high = t->mark_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (done_at(t, middle, node) < instructions)
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
    size_t i = marks_before(t, node, instructions);
    restore(t, i ? i - 1 : 0);
    struct goal g = everything();
    g.reach.blind = true;
    g.reach.node = node;
    g.reach.instructions = instructions;
    g.inputs = until.inputs;
    if (until.phase != PHASE_ENDED)
        g.reach.tick = until.now + 1;
    if (instructions - done_at(t, i ? i - 1 : 0, node) > WORTH_ONE) {
        struct goal close = g;
        close.reach.instructions = instructions - CLOSE_BY;
        arrive(t, &close);
        mark(t);
    }
    arrive(t, &g);
}

struct timeline_event timeline_go(struct timeline *t, struct position to)
{
    struct goal g = to_position(to);
    size_t i = marks_until(t, to);
    g.reach.blind = true;
    restore(t, i ? i - 1 : 0);
    arrive(t, &g);
    return event(TIMELINE_REACHED);
}

struct timeline_event timeline_seek(struct timeline *t, uint64_t tick)
{
    struct position p = timeline_position(t);
    size_t i = t->mark_count;
    while (i > 1 && t->marks[i - 1].at.now > tick)
        i--;
    if (tick < p.now || compare(t->marks[i - 1].at, p) > 0)
        restore(t, i - 1);
    struct goal g = everything();
    g.reach.tick = tick;
    g.reach.blind = true;
    return run_to(t, g);
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
            return event(TIMELINE_REACHED);
    }
    if (n.instructions == done_at(t, 0, node)) {
        restore(t, 0);
        return event(TIMELINE_BEGIN);
    }
    go_to_instruction(t, node, n.instructions - 1, p);
    return event(TIMELINE_REACHED);
}

static bool search_counts(void *context, uint32_t node)
{
    return counts(context, node);
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
    struct search search = {calloc(t->s.nodes, sizeof *search.last), search_counts, t};
    if (!search.last)
        abort();
    g.reach.search = &search;
    restore(t, from);
    struct meeting m = {.what = MET_NOTHING};
    struct position p = timeline_position(t);
    if (timeline_before(p, until) && t->s.at_stop(t->s.context))
        m = (struct meeting){.what = MET_STOP, .node = p.node, .instructions = p.instructions};
    *interrupted = false;
    do {
        if (m.what == MET_STOP && counts(t, m.node))
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
    for (size_t stride = 1, i = marks_until(t, here); i > 0; stride = stride < LONGEST ? 2 * stride : LONGEST) {
        struct meeting m = {.what = MET_NOTHING};
        bool interrupted;
        size_t back = i > 1 && timeline_same(t->marks[i - 1].at, until) ? stride + 1 : stride;
        i = i > back ? i - back : 0;
        bool found = last_meeting(t, i, until, &m, &interrupted);
        if (interrupted) {
            timeline_go(t, here);
            return event(TIMELINE_INTERRUPTED);
        }
        if (found)
            return of_meeting(m);
        until = t->marks[i].at;
    }
    restore(t, 0);
    return event(TIMELINE_BEGIN);
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
    i->bytes = size ? malloc(size) : NULL;
    if (size && !i->bytes)
        abort();
    if (size)
        memcpy(i->bytes, bytes, size);
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

/* ---- life ---- */

struct timeline *timeline_new(struct subject s, size_t memory, bool (*interrupted)(void *context), void *context)
{
    struct timeline *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->s = s;
    t->budget = memory;
    t->interrupted = interrupted;
    t->context = context;
    t->spacing = s.hz / SPACINGS ? s.hz / SPACINGS : 1;
    s.advance(s.context, &(struct reach){.tick = 0, .instructions = UINT64_MAX, .blind = true});
    mark(t);
    return t;
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    while (t->mark_count)
        drop(t, t->mark_count - 1);
    while (t->input_count)
        free_input(t);
    if (t->s.end)
        t->s.end(t->s.context);
    spill_free(t->spill);
    free(t->inputs);
    free(t->marks);
    free(t);
}

uint64_t timeline_run(const struct timeline *t)
{
    return t->run;
}

size_t timeline_snapshots(const struct timeline *t)
{
    return t->mark_count;
}

size_t timeline_memory(const struct timeline *t)
{
    return t->used;
}

uint64_t timeline_spilled(const struct timeline *t)
{
    return t->spill ? spill_size(t->spill) : 0;
}
