/* Times and orders that fit the messages: cycles are found, global times set, events put in one order. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/merge.h"
#include "merge/causal_internal.h"

/* ---- global times ---- */

/* Each node goes as far as it can: to a receive whose send has no time yet. */
struct order_pass {
    struct causal *causal;
    uint32_t *at;      /* for each node: its next event */
    uint32_t *waiting; /* for each node: the first of a list of nodes that wait for one of its sends */
    uint32_t *next;    /* for each node: the next one of such a list */
    uint32_t *ready;   /* nodes that can go on */
    uint32_t ready_count;
};

static void order_set_time(struct causal *c, uint32_t event, const struct causal_clock *k)
{
    struct causal_event *e = &c->events[event];
    int64_t wanted = causal_map(k, (int64_t)e->time);
    uint64_t time = wanted < 0 ? 0 : (uint64_t)wanted, before = time;
    if (event > c->nodes[e->node] && c->events[event - 1].time > time)
        time = c->events[event - 1].time;
    if (e->kind == CAUSAL_RECEIVE && c->links[event] != CAUSAL_NONE && c->events[c->links[event]].time >= time)
        time = c->events[c->links[event]].time + 1;
    e->time = time;
    c->counts.moved += time != before;
    c->counts.farthest = time - before > c->counts.farthest ? time - before : c->counts.farthest;
}

static void order_wake(struct order_pass *p, uint32_t node)
{
    for (uint32_t n = p->waiting[node]; n != CAUSAL_NONE; n = p->next[n])
        p->ready[p->ready_count++] = n;
    p->waiting[node] = CAUSAL_NONE;
}

/* Whether the event's send, if it has one, has its time. */
static bool order_can_come(const struct order_pass *p, uint32_t event)
{
    const struct causal *c = p->causal;
    if (c->events[event].kind != CAUSAL_RECEIVE || c->links[event] == CAUSAL_NONE)
        return true;
    return c->links[event] < p->at[c->events[c->links[event]].node];
}

static void order_go(struct order_pass *p, uint32_t node)
{
    struct causal *c = p->causal;
    uint32_t end = causal_node_end(c, node), begin = p->at[node];
    if (begin == end)
        return;
    const struct causal_clock *k = causal_clock_of(c, begin);
    for (; p->at[node] < end; p->at[node]++) {
        if (!order_can_come(p, p->at[node])) {
            uint32_t sender = c->events[c->links[p->at[node]]].node;
            p->next[node] = p->waiting[sender];
            p->waiting[sender] = node;
            break;
        }
        if (p->at[node] == k->end)
            k++;
        order_set_time(c, p->at[node], k);
    }
    if (p->at[node] > begin)
        order_wake(p, node);
}

/* All nodes that are left wait: some of them in a circle. One of its receives then has no send. */
static void order_break_cycle(struct order_pass *p, uint32_t node)
{
    struct causal *c = p->causal;
    for (size_t i = 0; i < c->node_count; i++) /* so many steps lead into the circle */
        node = c->events[c->links[p->at[node]]].node;
    uint32_t receive = p->at[node], send = c->links[receive], sender = c->events[send].node;
    causal_find(c, CAUSAL_CYCLE, receive, send);
    c->links[receive] = CAUSAL_NONE;
    c->events[receive].open = 1;
    order_wake(p, sender);
}

static uint32_t order_stuck(const struct order_pass *p)
{
    for (uint32_t i = 0; i < p->causal->node_count; i++)
        if (p->at[i] < causal_node_end(p->causal, i))
            return i;
    return CAUSAL_NONE;
}

static void order_times(struct causal *c)
{
    size_t count = c->node_count;
    struct order_pass p = {
        .causal = c,
        .at = memory_copy(c->nodes, count * sizeof *c->nodes),
        .waiting = memory_array(count, sizeof *p.waiting),
        .next = memory_array(count, sizeof *p.next),
        .ready = memory_array(count, sizeof *p.ready),
    };
    for (uint32_t i = 0; i < count; i++) {
        p.waiting[i] = CAUSAL_NONE;
        p.ready[p.ready_count++] = i;
    }
    for (uint32_t stuck; p.ready_count || (stuck = order_stuck(&p)) != CAUSAL_NONE;)
        if (p.ready_count)
            order_go(&p, p.ready[--p.ready_count]);
        else
            order_break_cycle(&p, stuck);
    free(p.at);
    free(p.waiting);
    free(p.next);
    free(p.ready);
}

/* ---- one order ---- */

/* By global time, which extends the causal order; of equal times the lower node comes first. */
static void order_linear(struct causal *c)
{
    struct merge m;
    struct merge_head h;
    size_t done = 0;
    uint32_t *at = memory_copy(c->nodes, c->node_count * sizeof *c->nodes);
    c->order = memory_resize(NULL, c->count, sizeof *c->order);
    merge_begin(&m);
    for (uint32_t i = 0; i < c->node_count; i++)
        if (at[i] < causal_node_end(c, i))
            merge_put(&m, c->events[at[i]].time, i);
    while (merge_take(&m, &h)) {
        uint32_t end = causal_node_end(c, (uint32_t)h.sequence);
        uint64_t other = m.count ? m.heads[0].time : UINT64_MAX;
        do {
            c->order[done++] = (uint16_t)h.sequence;
            at[h.sequence]++;
        } while (at[h.sequence] < end && c->events[at[h.sequence]].time < other);
        if (at[h.sequence] < end)
            merge_put(&m, c->events[at[h.sequence]].time, h.sequence);
    }
    merge_end(&m);
    free(at);
}

static void order_count_effects(struct causal *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->events[i].kind == CAUSAL_SEND && !c->events[i].copy)
            c->links[i] = 0;
    for (size_t i = 0; i < c->count; i++)
        if (c->events[i].kind == CAUSAL_RECEIVE && c->links[i] != CAUSAL_NONE) {
            c->counts.matched++;
            c->links[c->links[i]]++;
        }
    for (size_t i = 0; i < c->count; i++)
        c->counts.lost += c->events[i].kind == CAUSAL_SEND && !c->events[i].copy && !c->links[i];
}

void causal_order(struct causal *c)
{
    order_times(c);
    order_count_effects(c);
    order_linear(c);
}

/* ---- vector clocks ---- */

/* Clocks of sends that receives still depend on. */
struct order_alive {
    uint32_t send, left;
    uint32_t clock[];
};

struct order_rolling {
    const struct causal *causal;
    size_t size;                /* of one struct order_alive */
    uint32_t *now;              /* the clock of each node, one after the other */
    struct order_alive **slots; /* by send */
    size_t mask, count, most;
    struct order_alive **spare;
    size_t spare_count, spare_room;
};

static size_t order_slot(const struct order_rolling *r, uint32_t send)
{
    size_t at = (send * UINT32_C(0x9e3779b1) >> 7) & r->mask;
    while (r->slots[at] && r->slots[at]->send != send)
        at = (at + 1) & r->mask;
    return at;
}

static void order_more_slots(struct order_rolling *r)
{
    struct order_alive **old = r->slots;
    size_t count = old ? r->mask + 1 : 0;
    if (2 * r->count < count)
        return;
    r->mask = (count ? 2 * count : 64) - 1;
    r->slots = memory_array(r->mask + 1, sizeof(struct order_alive *));
    for (size_t i = 0; i < count; i++)
        if (old[i])
            r->slots[order_slot(r, old[i]->send)] = old[i];
    free(old);
}

static void order_keep(struct order_rolling *r, uint32_t send, uint32_t effects, const uint32_t *clock)
{
    order_more_slots(r);
    struct order_alive *a = r->spare_count ? r->spare[--r->spare_count] : memory_bytes(r->size);
    a->send = send;
    a->left = effects;
    memcpy(a->clock, clock, r->causal->node_count * sizeof *clock);
    r->slots[order_slot(r, send)] = a;
    r->count++;
    r->most = r->count > r->most ? r->count : r->most;
}

/* Removes a slot: those that were put after it move up. */
static void order_drop(struct order_rolling *r, size_t at)
{
    r->spare = memory_grow(r->spare, &r->spare_room, r->spare_count, sizeof(struct order_alive *));
    r->spare[r->spare_count++] = r->slots[at];
    r->slots[at] = NULL;
    r->count--;
    for (at = (at + 1) & r->mask; r->slots[at]; at = (at + 1) & r->mask) {
        struct order_alive *a = r->slots[at];
        r->slots[at] = NULL;
        r->slots[order_slot(r, a->send)] = a;
    }
}

static void order_join(struct order_rolling *r, uint32_t send, uint32_t *clock)
{
    size_t at = order_slot(r, send);
    struct order_alive *a = r->slots[at];
    for (size_t i = 0; i < r->causal->node_count; i++)
        clock[i] = a->clock[i] > clock[i] ? a->clock[i] : clock[i];
    if (!--a->left)
        order_drop(r, at);
}

static void order_rolling_free(struct order_rolling *r)
{
    for (size_t i = 0; i < r->spare_count; i++)
        free(r->spare[i]);
    free(r->spare);
    free(r->slots);
    free(r->now);
}

uint32_t causal_walk(const struct causal *c, causal_step *step, void *context)
{
    struct order_rolling r = {
        .causal = c,
        .size = sizeof(struct order_alive) + c->node_count * sizeof(uint32_t),
        .now = memory_array(c->node_count * c->node_count, sizeof *r.now),
    };
    order_more_slots(&r);
    for (size_t i = 0; i < c->count; i++) {
        uint32_t node = c->order[i], *clock = r.now + node * c->node_count;
        uint32_t event = c->nodes[node] + clock[node]++;
        const struct causal_event *e = &c->events[event];
        if (e->kind == CAUSAL_RECEIVE && c->links[event] != CAUSAL_NONE)
            order_join(&r, c->links[event], clock);
        else if (e->kind == CAUSAL_SEND && !e->copy && c->links[event])
            order_keep(&r, event, c->links[event], clock);
        step(context, event, clock);
    }
    order_rolling_free(&r);
    return (uint32_t)r.most;
}

/* ---- the past of one event ---- */

struct order_past {
    const struct causal *causal;
    uint32_t *clock, *seen; /* so many events of each node are in it; and have been looked at */
};

/* Looks at the events of the node that were added last; true if some were. */
static bool order_past_of_node(struct order_past *p, uint32_t node)
{
    const struct causal *c = p->causal;
    if (p->seen[node] == p->clock[node])
        return false;
    for (; p->seen[node] < p->clock[node]; p->seen[node]++) {
        uint32_t event = c->nodes[node] + p->seen[node];
        if (c->events[event].kind != CAUSAL_RECEIVE || c->links[event] == CAUSAL_NONE)
            continue;
        uint32_t send = c->links[event], sender = c->events[send].node, count = send - c->nodes[sender] + 1;
        p->clock[sender] = count > p->clock[sender] ? count : p->clock[sender];
    }
    return true;
}

void causal_past(const struct causal *c, uint32_t event, uint32_t *clock)
{
    struct order_past p = {c, clock, memory_array(c->node_count, sizeof *p.seen)};
    uint32_t own = c->events[event].node;
    memset(clock, 0, c->node_count * sizeof *clock);
    clock[own] = event - c->nodes[own] + 1;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < c->node_count; i++)
            more |= order_past_of_node(&p, i);
    }
    free(p.seen);
}

bool causal_before(const struct causal *c, uint32_t event, uint32_t other)
{
    uint32_t *clock = memory_array(c->node_count, sizeof *clock), node = c->events[event].node;
    causal_past(c, other, clock);
    bool before = event != other && event - c->nodes[node] < clock[node];
    free(clock);
    return before;
}
