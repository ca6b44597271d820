/* Clocks, aligned by messages.
 *
 * A message from clock a to clock b bounds by how much b is ahead from above, one from b to a from below. The bounds
 * are kept for windows of time, short enough that drift within one is small. Where a window has both, b is ahead by
 * what is half way between. A spanning tree over the pairs with the most such windows then maps each clock to one of
 * them.
 */
#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"
#include "merge/causal_internal.h"

#define ALIGN_WIDTH INT64_C(10000000000) /* nanoseconds of a window: 100 ppm are 1 ms in it */
enum { ALIGN_WINDOWS = 256, ALIGN_EMPTY = UINT32_MAX };

struct align_window {
    int64_t upper, lower; /* INT64_MAX, INT64_MIN: no message says so */
};

struct align_pair {
    uint32_t a, b; /* numbers of clocks, a < b */
    uint32_t both; /* windows with both bounds, once all messages are in */
    uint32_t window_count;
    int64_t width;
    struct align_window *windows; /* over the time of a */
};

struct causal_bounds {
    const struct causal *causal;
    struct align_pair *pairs;
    size_t count, room;
    uint32_t *slots; /* pairs by a and b */
    size_t slot_count;
    uint32_t last; /* the pair asked for last */
};

/* ---- what messages say ---- */

struct causal_bounds *causal_bounds_new(const struct causal *c)
{
    struct causal_bounds *b = memory_new(sizeof *b);
    b->causal = c;
    return b;
}

void causal_bounds_free(struct causal_bounds *b)
{
    for (size_t i = 0; i < b->count; i++)
        free(b->pairs[i].windows);
    free(b->pairs);
    free(b->slots);
    free(b);
}

static size_t align_slot(const struct causal_bounds *b, uint32_t one, uint32_t two)
{
    uint64_t key = ((uint64_t)one << 32 | two) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(key >> 20) & (b->slot_count - 1);
    while (b->slots[at] != ALIGN_EMPTY && (b->pairs[b->slots[at]].a != one || b->pairs[b->slots[at]].b != two))
        at = (at + 1) & (b->slot_count - 1);
    return at;
}

static void align_more_slots(struct causal_bounds *b)
{
    if (2 * b->count < b->slot_count)
        return;
    b->slot_count = b->slot_count ? 2 * b->slot_count : 64;
    b->slots = memory_resize(b->slots, b->slot_count, sizeof *b->slots);
    for (size_t i = 0; i < b->slot_count; i++)
        b->slots[i] = ALIGN_EMPTY;
    for (size_t i = 0; i < b->count; i++)
        b->slots[align_slot(b, b->pairs[i].a, b->pairs[i].b)] = (uint32_t)i;
}

static int64_t align_span(const struct causal *c, const struct causal_clock *k)
{
    return (int64_t)(c->events[k->end - 1].time - c->events[k->first].time);
}

static struct align_pair align_pair_new(const struct causal *c, uint32_t one, uint32_t two)
{
    int64_t span = align_span(c, &c->clocks[one]), width = span / ALIGN_WINDOWS + 1;
    struct align_pair p = {.a = one, .b = two, .width = width > ALIGN_WIDTH ? width : ALIGN_WIDTH};
    p.window_count = (uint32_t)(span / p.width) + 1;
    p.windows = memory_array(p.window_count, sizeof *p.windows);
    for (uint32_t i = 0; i < p.window_count; i++)
        p.windows[i] = (struct align_window){INT64_MAX, INT64_MIN};
    return p;
}

static struct align_pair *align_pair(struct causal_bounds *b, uint32_t one, uint32_t two)
{
    if (b->count && b->pairs[b->last].a == one && b->pairs[b->last].b == two)
        return &b->pairs[b->last];
    align_more_slots(b);
    size_t at = align_slot(b, one, two);
    if (b->slots[at] == ALIGN_EMPTY) {
        b->pairs = memory_grow(b->pairs, &b->room, b->count, sizeof *b->pairs);
        b->pairs[b->count] = align_pair_new(b->causal, one, two);
        b->slots[at] = (uint32_t)b->count++;
    }
    b->last = b->slots[at];
    return &b->pairs[b->last];
}

static struct align_window *align_window(const struct causal *c, struct align_pair *p, uint64_t time)
{
    return &p->windows[(int64_t)(time - c->events[c->clocks[p->a].first].time) / p->width];
}

void causal_bounds_message(struct causal_bounds *b, uint32_t send, uint32_t receive)
{
    const struct causal *c = b->causal;
    uint32_t from = (uint32_t)(causal_clock_of(c, send) - c->clocks);
    uint32_t to = (uint32_t)(causal_clock_of(c, receive) - c->clocks);
    int64_t sent = (int64_t)c->events[send].time, received = (int64_t)c->events[receive].time;
    if (from < to) {
        struct align_window *w = align_window(c, align_pair(b, from, to), (uint64_t)sent);
        w->upper = received - sent < w->upper ? received - sent : w->upper;
    } else if (to < from) {
        struct align_window *w = align_window(c, align_pair(b, to, from), (uint64_t)received);
        w->lower = sent - received > w->lower ? sent - received : w->lower;
    }
}

/* ---- maps ---- */

int64_t causal_map(const struct causal_clock *k, int64_t local)
{
    uint32_t low = 0, high = k->knot_count - 1;
    if (local <= k->knots[0].local || !high)
        return k->knots[0].global + (local - k->knots[0].local);
    if (local >= k->knots[high].local)
        return k->knots[high].global + (local - k->knots[high].local);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (k->knots[middle].local <= local)
            low = middle;
        else
            high = middle;
    }
    const struct causal_knot *l = &k->knots[low], *h = &k->knots[high];
    return l->global +
           (int64_t)((double)(local - l->local) * (double)(h->global - l->global) / (double)(h->local - l->local));
}

/* How far b is ahead in a window; false if nothing says so. With `one_sided` one bound is enough. */
static bool align_ahead(const struct align_window *w, bool one_sided, int64_t *ahead)
{
    bool upper = w->upper != INT64_MAX, lower = w->lower != INT64_MIN;
    if (upper && lower)
        *ahead = w->lower + (w->upper - w->lower) / 2;
    else if (one_sided && (upper || lower))
        *ahead = upper ? w->upper : w->lower;
    else
        return false;
    return true;
}

static void align_knot(struct causal_clock *k, int64_t local, int64_t global)
{
    struct causal_knot *last = k->knot_count ? &k->knots[k->knot_count - 1] : NULL;
    if (!last || (local > last->local && global > last->global))
        k->knots[k->knot_count++] = (struct causal_knot){local, global};
}

/* The clock `to` of the pair from the other one, which has its map. */
static void align_from(struct causal *c, const struct align_pair *p, uint32_t to)
{
    struct causal_clock *a = &c->clocks[p->a], *b = &c->clocks[p->b], *k = &c->clocks[to];
    int64_t begin = (int64_t)c->events[a->first].time, ahead;
    k->knots = memory_array(p->window_count, sizeof *k->knots);
    for (uint32_t i = 0; i < p->window_count; i++) {
        const struct align_window *w = &p->windows[i];
        if (!align_ahead(w, !p->both, &ahead))
            continue;
        int64_t middle = begin + (int64_t)i * p->width + p->width / 2;
        if (k == b)
            align_knot(k, middle + ahead, causal_map(a, middle));
        else
            align_knot(k, middle, causal_map(b, middle + ahead));
        uint64_t open = p->both && w->upper > w->lower ? (uint64_t)(w->upper - w->lower) / 2 : 0;
        c->counts.uncertainty = open > c->counts.uncertainty ? open : c->counts.uncertainty;
    }
}

/* A clock that no message leads to: as its node's last one went on, or from zero. */
static void align_alone(struct causal *c, uint32_t number)
{
    struct causal_clock *k = &c->clocks[number];
    int64_t global = number && c->clocks[number - 1].node == k->node
                         ? causal_map(&c->clocks[number - 1], (int64_t)c->events[k->first - 1].time)
                         : 0;
    k->knots = memory_array(1, sizeof *k->knots);
    k->knot_count = 1;
    k->knots[0] = (struct causal_knot){(int64_t)c->events[k->first].time, global};
}

/* The pair that leads from the tree to a clock outside of it and says most; NULL if there is none. */
static const struct align_pair *align_best(const struct causal *c, const struct causal_bounds *b)
{
    const struct align_pair *best = NULL;
    for (size_t i = 0; i < b->count; i++) {
        const struct align_pair *p = &b->pairs[i];
        if (!c->clocks[p->a].knot_count != !c->clocks[p->b].knot_count && (!best || p->both > best->both))
            best = p;
    }
    return best;
}

/* The clock that others are best compared with. */
static uint32_t align_root(const struct causal *c, const struct causal_bounds *b)
{
    uint32_t root = 0;
    uint64_t *sums = memory_array(c->clock_count, sizeof *sums);
    for (size_t i = 0; i < b->count; i++) {
        sums[b->pairs[i].a] += b->pairs[i].both;
        sums[b->pairs[i].b] += b->pairs[i].both;
    }
    for (uint32_t i = 1; i < c->clock_count; i++)
        root = sums[i] > sums[root] ? i : root;
    free(sums);
    return root;
}

static void align_count_both(struct causal_bounds *b)
{
    for (size_t i = 0; i < b->count; i++)
        for (uint32_t k = 0; k < b->pairs[i].window_count; k++) {
            const struct align_window *w = &b->pairs[i].windows[k];
            b->pairs[i].both += w->upper != INT64_MAX && w->lower != INT64_MIN;
        }
}

/* Global times are not negative. */
static void align_shift(struct causal *c)
{
    int64_t least = 0;
    for (size_t i = 0; i < c->clock_count; i++) {
        int64_t begin = causal_map(&c->clocks[i], (int64_t)c->events[c->clocks[i].first].time);
        least = begin < least ? begin : least;
    }
    for (size_t i = 0; i < c->clock_count; i++)
        for (uint32_t k = 0; k < c->clocks[i].knot_count; k++)
            c->clocks[i].knots[k].global -= least;
}

void causal_align(struct causal *c, struct causal_bounds *b)
{
    if (!c->clock_count)
        return;
    align_count_both(b);
    uint32_t root = align_root(c, b);
    c->counts.reference = c->clocks[root].node;
    c->clocks[root].knots = memory_array(1, sizeof(struct causal_knot));
    c->clocks[root].knot_count = 1; /* at 0, 0 */
    for (uint32_t next = 0; next < c->clock_count;) {
        const struct align_pair *p = c->options.clockless ? NULL : align_best(c, b);
        if (p)
            align_from(c, p, c->clocks[p->a].knot_count ? p->b : p->a);
        else if (!c->clocks[next++].knot_count)
            align_alone(c, next - 1);
    }
    align_shift(c);
}
