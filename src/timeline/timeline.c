#include "timeline/timeline.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPACINGS = 100,    /* snapshots a second, around the present */
    CLOSE_BY = 1024,   /* instructions before the goal of a seek where one is left for the next seek */
    WORTH_ONE = 16384, /* instructions of running again that are worth a snapshot */
    FEWEST = 16,       /* snapshots kept, however small the budget */
};

struct mark {
    struct position at;
    struct digest digest;
    void *state;
    size_t cost;
};

struct timeline {
    struct subject s;
    size_t budget, used;
    bool (*interrupted)(void *context);
    void *context;
    uint64_t spacing; /* ticks */
    struct mark *marks;
    size_t mark_count, mark_room;
    struct input *inputs;
    size_t input_count, input_room;
    size_t given; /* inputs, on the way to here */
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
    int by = order(a.instructions, b.instructions);
    by = by ? by : order(a.inputs, b.inputs);
    by = by ? by : order(a.now, b.now);
    return by ? by : order(a.phase, b.phase);
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
    t->s.release(t->marks[i].state);
    t->mark_count--;
    memmove(t->marks + i, t->marks + i + 1, (t->mark_count - i) * sizeof *t->marks);
}

/* Drops what is missed least: the snapshot whose absence makes a short gap, seen from the present. */
static void thin(struct timeline *t, uint64_t now)
{
    size_t worst = 1;
    double least = 1e300;
    for (size_t i = 1; i + 1 < t->mark_count; i++) {
        uint64_t at = t->marks[i].at.now, far = at > now ? at - now : now - at;
        double gap = (double)(t->marks[i + 1].at.now - t->marks[i - 1].at.now);
        double missed = gap / ((double)far + (double)t->spacing);
        if (missed < least) {
            least = missed;
            worst = i;
        }
    }
    drop(t, worst);
}

static void mark(struct timeline *t)
{
    struct position p = timeline_position(t);
    size_t i = marks_until(t, p);
    if (i && timeline_same(t->marks[i - 1].at, p)) {
        assert(digest_equal(t->marks[i - 1].digest, timeline_digest(t)));
        return;
    }
    if (t->mark_count == t->mark_room) {
        t->mark_room = t->mark_room ? 2 * t->mark_room : 64;
        t->marks = realloc(t->marks, t->mark_room * sizeof *t->marks);
        if (!t->marks)
            abort();
    }
    memmove(t->marks + i + 1, t->marks + i, (t->mark_count - i) * sizeof *t->marks);
    size_t cost = t->s.cost(t->s.context) + sizeof *t->marks;
    t->marks[i] = (struct mark){p, timeline_digest(t), t->s.take(t->s.context), cost};
    t->mark_count++;
    t->used += cost;
    while (t->used > t->budget && t->mark_count > FEWEST)
        thin(t, p.now);
}

static void restore(struct timeline *t, size_t i)
{
    t->s.restore(t->s.context, t->marks[i].state);
    t->given = t->marks[i].at.inputs;
    assert(digest_equal(t->marks[i].digest, timeline_digest(t)));
}

/* ---- forward ---- */

/* As far as somebody wants to go. */
struct goal {
    uint64_t instructions, tick;
    size_t inputs; /* none beyond these is given */
    bool blind;
};

static bool input_due(const struct timeline *t, const struct goal *g)
{
    if (t->given >= t->input_count || t->given >= g->inputs)
        return false;
    struct position p = timeline_position(t);
    return compare(t->inputs[t->given].at, p) <= 0;
}

/* Up to the next input or the next place for a snapshot. */
static struct meeting stretch(struct timeline *t, const struct goal *g)
{
    struct position p = timeline_position(t);
    size_t before = marks_until(t, p);
    uint64_t last = t->marks[before - 1].at.now;
    uint64_t instructions = g->instructions, tick = last + t->spacing;
    if (tick <= p.now)
        tick = p.now + t->spacing;
    if (t->given < t->input_count && t->given < g->inputs) {
        const struct input *next = &t->inputs[t->given];
        bool waiting = next->at.phase == PHASE_WAITING; /* then its tick ends the wait behind its instruction */
        uint64_t before_it = next->at.instructions - (waiting && next->at.instructions);
        if (waiting && p.instructions >= before_it)
            tick = next->at.now < tick ? next->at.now : tick;
        else if (before_it < instructions)
            instructions = before_it;
    }
    tick = g->tick < tick ? g->tick : tick;
    return t->s.advance(t->s.context, instructions, tick, g->blind);
}

static bool reached(const struct timeline *t, const struct goal *g)
{
    struct position p = timeline_position(t);
    return p.phase == PHASE_ENDED || p.now >= g->tick ||
           (p.instructions >= g->instructions && (p.phase == PHASE_READY || p.instructions > g->instructions));
}

static void give_due(struct timeline *t, const struct goal *g)
{
    while (input_due(t, g))
        t->s.give(t->s.context, &t->inputs[t->given++]);
}

static struct timeline_event event(enum timeline_stop why)
{
    return (struct timeline_event){.why = why};
}

static struct timeline_event of_meeting(struct meeting m)
{
    enum timeline_stop why = m.what == MET_WATCH ? TIMELINE_WATCH : TIMELINE_STOP;
    return (struct timeline_event){.why = why, .address = m.address, .kind = m.kind};
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
        if (p.now - t->marks[before - 1].at.now >= t->spacing)
            mark(t);
        give_due(t, g);
        if (!g->blind && !reached(t, g) && t->s.at_stop(t->s.context))
            return (struct meeting){.what = MET_STOP, .instructions = p.instructions};
        if (t->interrupted && t->interrupted(t->context)) {
            *interrupted = true;
            break;
        }
    }
    return m;
}

static struct timeline_event run_to(struct timeline *t, struct goal g)
{
    bool interrupted;
    if (timeline_position(t).phase == PHASE_ENDED)
        return event(TIMELINE_END);
    struct meeting m = forward(t, &g, &interrupted);
    if (m.what != MET_NOTHING)
        return of_meeting(m);
    if (interrupted)
        return event(TIMELINE_INTERRUPTED);
    return event(timeline_position(t).phase == PHASE_ENDED ? TIMELINE_END : TIMELINE_REACHED);
}

static struct goal everything(void)
{
    return (struct goal){.instructions = UINT64_MAX, .tick = TIMELINE_NEVER, .inputs = SIZE_MAX};
}

struct timeline_event timeline_step(struct timeline *t)
{
    struct goal g = everything();
    struct position p = timeline_position(t);
    g.instructions = p.instructions + (p.phase == PHASE_READY);
    return run_to(t, g);
}

struct timeline_event timeline_run_until(struct timeline *t, uint64_t tick)
{
    struct goal g = everything();
    g.tick = tick;
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

/* From the nearest snapshot to the state in which that many instructions are done and the next is to come. */
static void go_to_instruction(struct timeline *t, uint64_t instructions, size_t inputs)
{
    struct position p = {.instructions = instructions}; /* before all at that instruction */
    size_t i = marks_until(t, p);
    restore(t, i ? i - 1 : 0);
    struct goal g = {.instructions = instructions, .tick = TIMELINE_NEVER, .inputs = inputs, .blind = true};
    uint64_t from = timeline_position(t).instructions;
    if (instructions - from > WORTH_ONE) {
        struct goal close = g;
        close.instructions = instructions - CLOSE_BY;
        arrive(t, &close);
        mark(t);
    }
    arrive(t, &g);
}

struct timeline_event timeline_go(struct timeline *t, struct position to)
{
    size_t i = marks_until(t, to);
    if (i && timeline_same(t->marks[i - 1].at, to)) {
        restore(t, i - 1);
        return event(TIMELINE_REACHED);
    }
    if (to.phase == PHASE_READY) {
        go_to_instruction(t, to.instructions, to.inputs);
    } else {
        uint64_t tick = to.phase == PHASE_WAITING ? to.now : TIMELINE_NEVER;
        struct goal g = {.instructions = UINT64_MAX, .tick = tick, .inputs = to.inputs, .blind = true};
        restore(t, i ? i - 1 : 0);
        arrive(t, &g);
    }
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
    g.tick = tick;
    g.blind = true;
    return run_to(t, g);
}

/* ---- backward ---- */

struct timeline_event timeline_step_back(struct timeline *t)
{
    struct position p = timeline_position(t);
    if (p.phase == PHASE_ENDED) { /* a fault may have left its instruction undone */
        go_to_instruction(t, p.instructions, p.inputs);
        if (timeline_position(t).phase == PHASE_READY)
            return event(TIMELINE_REACHED);
    }
    if (p.instructions == t->marks[0].at.instructions) {
        restore(t, 0);
        return event(TIMELINE_BEGIN);
    }
    go_to_instruction(t, p.instructions - 1, p.inputs);
    return event(TIMELINE_REACHED);
}

/* The last meeting between a snapshot and a position; false if there was none. */
static bool last_meeting(struct timeline *t, size_t from, struct position until, struct meeting *last,
                         bool *interrupted)
{
    struct goal g = {.instructions = until.instructions, .tick = TIMELINE_NEVER, .inputs = until.inputs};
    bool found = false;
    restore(t, from);
    struct position p = timeline_position(t);
    if (p.instructions < until.instructions && t->s.at_stop(t->s.context)) {
        *last = (struct meeting){.what = MET_STOP, .instructions = p.instructions};
        found = true;
    }
    *interrupted = false;
    while (!reached(t, &g)) {
        struct meeting m = forward(t, &g, interrupted);
        if (*interrupted)
            return false;
        bool counts = m.what == MET_WATCH || (m.what == MET_STOP && m.instructions < until.instructions);
        if (counts)
            *last = m;
        found |= counts;
    }
    return found;
}

struct timeline_event timeline_run_back(struct timeline *t)
{
    struct position here = timeline_position(t), until = here;
    for (size_t i = marks_until(t, here); i-- > 0;) {
        struct meeting m;
        bool interrupted;
        struct position from = t->marks[i].at;
        if (from.instructions == until.instructions && i > 0)
            continue;
        bool found = last_meeting(t, i, until, &m, &interrupted);
        if (interrupted) {
            timeline_go(t, here);
            return event(TIMELINE_INTERRUPTED);
        }
        if (found) {
            go_to_instruction(t, m.instructions, until.inputs);
            return of_meeting(m);
        }
        i = marks_until(t, from); /* running may have left snapshots, or dropped some */
        i -= i && timeline_same(t->marks[i - 1].at, from);
        until = from;
    }
    restore(t, 0);
    return event(TIMELINE_BEGIN);
}

/* ---- inputs ---- */

static void forget_future(struct timeline *t)
{
    struct position p = timeline_position(t);
    while (t->mark_count > 1 && compare(t->marks[t->mark_count - 1].at, p) > 0)
        drop(t, t->mark_count - 1);
    while (t->input_count > t->given)
        free(t->inputs[--t->input_count].bytes);
}

bool timeline_give(struct timeline *t, enum input_kind kind, uint32_t where, uint32_t value, const void *bytes,
                   size_t size)
{
    if (timeline_position(t).phase == PHASE_ENDED)
        return false;
    forget_future(t);
    if (t->input_count == t->input_room) {
        t->input_room = t->input_room ? 2 * t->input_room : 16;
        t->inputs = realloc(t->inputs, t->input_room * sizeof *t->inputs);
        if (!t->inputs)
            abort();
    }
    uint8_t *copy = size ? malloc(size) : NULL;
    if (size && !copy)
        abort();
    if (size)
        memcpy(copy, bytes, size);
    t->inputs[t->input_count++] = (struct input){timeline_position(t), kind, where, value, size, copy};
    t->s.give(t->s.context, &t->inputs[t->given++]);
    return true;
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
    s.advance(s.context, 0, TIMELINE_NEVER, true);
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
        free(t->inputs[--t->input_count].bytes);
    free(t->inputs);
    free(t->marks);
    free(t);
}

size_t timeline_snapshots(const struct timeline *t)
{
    return t->mark_count;
}

size_t timeline_memory(const struct timeline *t)
{
    return t->used;
}
