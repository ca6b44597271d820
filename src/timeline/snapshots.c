/* The snapshots of a timeline: taken, thinned out, sent to disk and brought back. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timeline/internal.h"

enum {
    FEWEST = 16, /* snapshots kept, however small the budget */
    SPARSE = 10, /* spacings between snapshots on disk, at least */
    DISK = 8,    /* times the budget of memory */
    NIGHT = 100, /* spacings without a snapshot, at most, in which no node does anything */
};

/* How many snapshots lie at or before the position. */
size_t snapshots_until(const struct timeline *t, struct position p)
{
    size_t low = 0, high = t->snapshot_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (timeline_compare(t->snapshots[middle].at, p) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void snapshots_drop(struct timeline *t, size_t i)
{
    t->used -= t->snapshots[i].cost;
    if (t->snapshots[i].state)
        t->s.release(t->snapshots[i].state);
    free(t->snapshots[i].done);
    t->snapshot_count--;
    memmove(t->snapshots + i, t->snapshots + i + 1, (t->snapshot_count - i) * sizeof *t->snapshots);
}

static void note_done(struct timeline *t, struct timeline_snapshot *m, const void *state)
{
    m->done = memory_array(t->s.nodes + 1, sizeof *m->done);
    for (uint32_t i = 0; i < t->s.nodes; i++)
        m->done[i] = t->s.done(state, i);
}

/* Moves a snapshot to disk; false if it cannot be, or need not. */
static bool spill(struct timeline *t, size_t i)
{
    struct timeline_snapshot *m = &t->snapshots[i];
    struct pack p = {.bytes = NULL};
    if (m[1].at.now - m[-1].at.now < 2 * SPARSE * t->spacing)
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
    for (size_t i = 1; i + 1 < t->snapshot_count; i++) {
        if (!t->snapshots[i].state)
            continue;
        uint64_t at = t->snapshots[i].at.now, far = at > now ? at - now : now - at;
        double gap = (double)(t->snapshots[i + 1].at.now - t->snapshots[i - 1].at.now);
        double missed = gap / ((double)far + (double)t->spacing);
        if (missed < least) {
            least = missed;
            worst = i;
        }
    }
    if (worst && !spill(t, worst))
        snapshots_drop(t, worst);
}

static size_t snapshots_in_memory(const struct timeline *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->snapshot_count && count <= FEWEST; i++)
        count += t->snapshots[i].state != NULL;
    return count;
}

static struct timeline_snapshot *snapshots_make_room(struct timeline *t, size_t at)
{
    t->snapshots = memory_grow(t->snapshots, &t->snapshot_room, t->snapshot_count, sizeof *t->snapshots);
    memmove(t->snapshots + at + 1, t->snapshots + at, (t->snapshot_count - at) * sizeof *t->snapshots);
    t->snapshot_count++;
    return &t->snapshots[at];
}

/* Whether a snapshot after it, with the same work done, serves for both: from the one before it is the same work. */
static bool superseded(const struct timeline *t, size_t i, struct position p, uint64_t work)
{
    const struct timeline_snapshot *m = &t->snapshots[i];
    return m->state && m->work == work && m->at.inputs == p.inputs && m[-1].at.inputs == p.inputs &&
           p.now - m[-1].at.now <= NIGHT * t->spacing;
}

void snapshots_take(struct timeline *t)
{
    struct position p = timeline_position(t);
    size_t i = snapshots_until(t, p);
    if (i && timeline_same(t->snapshots[i - 1].at, p))
        return;
    size_t cost = t->s.cost(t->s.context) + sizeof *t->snapshots;
    uint64_t work = timeline_done(t);
    if (i > 1 && superseded(t, i - 1, p, work))
        snapshots_drop(t, --i);
    *snapshots_make_room(t, i) =
        (struct timeline_snapshot){.at = p, .state = t->s.take(t->s.context), .cost = cost, .work = work};
    t->used += cost;
    while (t->used > t->budget && snapshots_in_memory(t) > FEWEST)
        thin(t, p.now);
}

void timeline_adopt(struct timeline *t, struct position at, void *(*recall)(void *context, size_t key), void *context,
                    size_t key)
{
    size_t i = snapshots_until(t, at);
    if (i && !timeline_same(t->snapshots[i - 1].at, at)) /* the beginning is the timeline's own */
        *snapshots_make_room(t, i) =
            (struct timeline_snapshot){.at = at, .work = NOT_KNOWN, .recall = recall, .context = context, .key = key};
}

/* A state that is not in memory; NULL if it cannot be had. */
static void *recalled(struct timeline *t, const struct timeline_snapshot *m)
{
    if (m->recall)
        return m->recall(m->context, m->key);
    uint8_t *bytes = spill_get(t->spill, &m->spilled);
    struct unpack u = {.at = bytes, .end = bytes ? bytes + m->spilled.size : NULL};
    void *state = bytes ? t->s.unpack(t->s.context, &u) : NULL;
    free(bytes);
    return state;
}

/* Instructions a node had done at a snapshot. */
uint64_t snapshots_done_at(struct timeline *t, size_t i, uint32_t node)
{
    struct timeline_snapshot *m = &t->snapshots[i];
    if (m->state)
        return t->s.done(m->state, node);
    if (!m->done) {
        void *state = recalled(t, m);
        if (!state)
            return i ? snapshots_done_at(t, i - 1, node) : 0;
        note_done(t, m, state);
        t->s.release(state);
    }
    return m->done[node];
}

/* Where a snapshot cannot be had again, from the one before it. */
void snapshots_restore(struct timeline *t, size_t i)
{
    void *state = t->snapshots[i].state, *lent = NULL;
    while (!state && !(state = lent = recalled(t, &t->snapshots[i])))
        state = t->snapshots[--i].state;
    t->s.restore(t->s.context, state);
    t->given = t->snapshots[i].at.inputs;
    if (lent)
        t->s.release(lent);
}
