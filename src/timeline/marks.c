/* The snapshots of a timeline: taken, thinned out, sent to disk and brought back. */
#include <stdlib.h>
#include <string.h>

#include "timeline/internal.h"

enum {
    FEWEST = 16, /* snapshots kept, however small the budget */
    SPARSE = 10, /* spacings between snapshots on disk, at least */
    DISK = 8,    /* times the budget of memory */
    NIGHT = 100, /* spacings without a snapshot, at most, in which nobody does anything */
};

/* How many marks lie at or before the position. */
size_t marks_until(const struct timeline *t, struct position p)
{
    size_t low = 0, high = t->mark_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (timeline_compare(t->marks[middle].at, p) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void marks_drop(struct timeline *t, size_t i)
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
        marks_drop(t, worst);
}

static size_t marks_in_memory(const struct timeline *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->mark_count && count <= FEWEST; i++)
        count += t->marks[i].state != NULL;
    return count;
}

static struct mark *marks_make_room(struct timeline *t, size_t at)
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

/* Whether a snapshot behind it, with the same work done, does for both: from the one before it is the same work. */
static bool superseded(const struct timeline *t, size_t i, struct position p, uint64_t work)
{
    const struct mark *m = &t->marks[i];
    return m->state && m->work == work && m->at.inputs == p.inputs && m[-1].at.inputs == p.inputs &&
           p.now - m[-1].at.now <= NIGHT * t->spacing;
}

void marks_take(struct timeline *t)
{
    struct position p = timeline_position(t);
    size_t i = marks_until(t, p);
    if (i && timeline_same(t->marks[i - 1].at, p))
        return;
    size_t cost = t->s.cost(t->s.context) + sizeof *t->marks;
    uint64_t work = timeline_done(t);
    if (i > 1 && superseded(t, i - 1, p, work))
        marks_drop(t, --i);
    *marks_make_room(t, i) = (struct mark){.at = p, .state = t->s.take(t->s.context), .cost = cost, .work = work};
    t->used += cost;
    while (t->used > t->budget && marks_in_memory(t) > FEWEST)
        thin(t, p.now);
}

void timeline_adopt(struct timeline *t, struct position at, void *(*recall)(void *context, size_t key), void *context,
                    size_t key)
{
    size_t i = marks_until(t, at);
    if (i && !timeline_same(t->marks[i - 1].at, at)) /* the beginning is the timeline's own */
        *marks_make_room(t, i) =
            (struct mark){.at = at, .work = NOT_KNOWN, .recall = recall, .context = context, .key = key};
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
uint64_t marks_done_at(struct timeline *t, size_t i, uint32_t node)
{
    struct mark *m = &t->marks[i];
    if (m->state)
        return t->s.done(m->state, node);
    if (!m->done) {
        void *state = recalled(t, m);
        if (!state)
            return i ? marks_done_at(t, i - 1, node) : 0;
        note_done(t, m, state);
        t->s.release(state);
    }
    return m->done[node];
}

/* Where a snapshot cannot be had again, from the one before it. */
void marks_restore(struct timeline *t, size_t i)
{
    void *state = t->marks[i].state, *lent = NULL;
    while (!state && !(state = lent = recalled(t, &t->marks[i])))
        state = t->marks[--i].state;
    t->s.restore(t->s.context, state);
    t->given = t->marks[i].at.inputs;
    if (lent)
        t->s.release(lent);
}
