/* Receives and their sends: by content; then, where a content was sent several times, by clocks and by order per link.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "merge/causal_internal.h"

#define MATCH_SLACK INT64_C(1000000) /* nanoseconds that drift within a window of alignment may add */

/* ---- packets by content ---- */

/* All packets of one content. */
struct match_slot {
    uint32_t example; /* a send; CAUSAL_NONE: the slot is free */
    uint32_t start, count;
};

struct match_table {
    struct match_slot *slots;
    size_t mask;
    uint32_t *packets; /* sends: those of a slot together, by node and local order */
};

static size_t match_find(const struct causal *c, const struct match_table *t, uint64_t content)
{
    size_t at = (size_t)((content * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & t->mask;
    while (t->slots[at].example != CAUSAL_NONE && c->events[t->slots[at].example].content != content)
        at = (at + 1) & t->mask;
    return at;
}

/* Marks sends that repeat what their node sent before. Returns how many packets are left. */
static uint32_t match_mark_copies(struct causal *c)
{
    uint32_t first = CAUSAL_NONE, last = CAUSAL_NONE;
    for (uint32_t i = 0; i < c->count; i++) {
        struct causal_event *e = &c->events[i];
        if (e->kind != CAUSAL_SEND)
            continue;
        const struct causal_event *before = last == CAUSAL_NONE ? NULL : &c->events[last];
        c->counts.sends++;
        e->copy = before && before->node == e->node && before->content == e->content && !c->options.clockless &&
                  e->time - before->time <= c->options.copies && causal_clock_of(c, last)->end > i;
        if (e->copy)
            c->links[i] = first;
        else
            first = i;
        c->counts.copies += e->copy;
        last = i;
    }
    return c->counts.sends - c->counts.copies;
}

static bool match_is_packet(const struct causal_event *e)
{
    return e->kind == CAUSAL_SEND && !e->copy;
}

static void match_table_fill(struct causal *c, struct match_table *t)
{
    uint32_t packets = match_mark_copies(c), start = 0;
    size_t size = 16;
    while (size < 2 * (size_t)packets)
        size *= 2;
    *t = (struct match_table){memory_array(size, sizeof *t->slots), size - 1,
                              memory_resize(NULL, packets, sizeof *t->packets)};
    for (size_t i = 0; i < size; i++)
        t->slots[i].example = CAUSAL_NONE;
    for (uint32_t i = 0; i < c->count; i++)
        if (match_is_packet(&c->events[i])) {
            c->links[i] = (uint32_t)match_find(c, t, c->events[i].content);
            t->slots[c->links[i]].example = i;
            t->slots[c->links[i]].count++;
        }
    for (size_t i = 0; i < size; i++) {
        t->slots[i].start = start;
        start += t->slots[i].count;
        t->slots[i].count = 0;
    }
    for (uint32_t i = 0; i < c->count; i++)
        if (match_is_packet(&c->events[i])) {
            struct match_slot *s = &t->slots[c->links[i]];
            t->packets[s->start + s->count++] = i;
        }
}

static void match_table_free(struct match_table *t)
{
    free(t->slots);
    free(t->packets);
}

/* ---- candidates ---- */

/* A receive that several sends may have caused. */
struct match_open {
    uint32_t receive, slot;
};

struct match {
    struct causal *causal;
    struct match_table table;
    struct causal_bounds *bounds;
    struct match_open *open; /* in local order */
    size_t open_count, open_room;
    uint32_t *carried; /* for each node: what the link from it to the current receiver carried last */
};

/* Packets of one content and one node: places in the table. */
struct match_group {
    uint32_t at, end;
};

/* The first place of a group whose send is this event or a later one. */
static uint32_t match_from_event(const struct match_table *t, struct match_group g, uint32_t event)
{
    while (g.at < g.end) {
        uint32_t middle = g.at + (g.end - g.at) / 2;
        if (t->packets[middle] < event)
            g.at = middle + 1;
        else
            g.end = middle;
    }
    return g.at;
}

/* The next group after `*g` of a node that the receive can be from; false if there is none. */
static bool match_next_group(const struct match *m, uint32_t receive, const struct match_slot *s, struct match_group *g)
{
    const struct causal *c = m->causal;
    const struct causal_event *r = &c->events[receive];
    for (g->at = g->end; g->at < s->start + s->count; g->at = g->end) {
        uint32_t node = c->events[m->table.packets[g->at]].node;
        g->end =
            match_from_event(&m->table, (struct match_group){g->at, s->start + s->count}, causal_node_end(c, node));
        if (node != r->node && (r->from == CAUSAL_ANYONE || r->from == node))
            return true;
    }
    return false;
}

/* Receives that one send alone can have caused; the others stay open. */
static void match_unambiguous(struct match *m)
{
    struct causal *c = m->causal;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->events[i].kind != CAUSAL_RECEIVE)
            continue;
        uint32_t slot = (uint32_t)match_find(c, &m->table, c->events[i].content), candidates = 0, send = CAUSAL_NONE;
        const struct match_slot *s = &m->table.slots[slot];
        struct match_group g = {.end = s->start};
        while (candidates < 2 && match_next_group(m, i, s, &g)) {
            candidates += g.end - g.at;
            send = m->table.packets[g.at];
        }
        c->counts.receives++;
        if (candidates == 1) {
            c->links[i] = send;
            causal_bounds_message(m->bounds, send, i);
        } else if (candidates) {
            m->open = memory_grow(m->open, &m->open_room, m->open_count, sizeof *m->open);
            m->open[m->open_count++] = (struct match_open){i, slot};
        }
    }
}

/* ---- which of several ---- */

static int64_t match_time(const struct causal *c, uint32_t event)
{
    return causal_map(causal_clock_of(c, event), (int64_t)c->events[event].time);
}

/* The first place of a group whose send is at a time or later. */
static uint32_t match_from_time(const struct match *m, struct match_group g, int64_t time)
{
    while (g.at < g.end) {
        uint32_t middle = g.at + (g.end - g.at) / 2;
        if (match_time(m->causal, m->table.packets[middle]) < time)
            g.at = middle + 1;
        else
            g.end = middle;
    }
    return g.at;
}

/* What order per link and, if `timely`, clocks leave of a group. */
static struct match_group match_narrow(const struct match *m, uint32_t receive, struct match_group g, bool timely)
{
    const struct causal *c = m->causal;
    uint32_t carried = m->carried[c->events[m->table.packets[g.at]].node];
    if (carried != CAUSAL_NONE)
        g.at = match_from_event(&m->table, g, carried);
    if (!timely)
        return g;
    int64_t time = match_time(c, receive), slack = (int64_t)(2 * c->counts.uncertainty) + MATCH_SLACK;
    g.at = match_from_time(m, g, time - (int64_t)c->options.delay - slack);
    g.end = match_from_time(m, g, time + slack);
    return g;
}

struct match_choice {
    uint32_t send, candidates, nodes;
};

static struct match_choice match_earliest(const struct match *m, struct match_open o, bool timely)
{
    struct match_choice choice = {.send = CAUSAL_NONE};
    const struct match_slot *s = &m->table.slots[o.slot];
    for (struct match_group g = {.end = s->start}; match_next_group(m, o.receive, s, &g);) {
        struct match_group left = match_narrow(m, o.receive, g, timely);
        if (left.at == left.end)
            continue;
        choice.nodes++;
        choice.candidates += left.end - left.at;
        choice.send = m->table.packets[left.at];
    }
    return choice;
}

static uint32_t match_choose(struct match *m, struct match_open o)
{
    struct causal *c = m->causal;
    struct match_choice choice = match_earliest(m, o, !c->options.clockless);
    if (!choice.candidates)
        choice = match_earliest(m, o, false);
    c->counts.weaker += choice.nodes == 1 && choice.candidates > 1;
    c->counts.undecided += choice.nodes > 1;
    c->events[o.receive].open = choice.nodes > 1;
    return choice.nodes == 1 ? choice.send : CAUSAL_NONE;
}

/* Receives in their local order, so that what a link carried before is known. */
static void match_open_ones(struct match *m)
{
    struct causal *c = m->causal;
    m->carried = memory_resize(NULL, c->node_count, sizeof *m->carried);
    size_t next = 0;
    uint32_t node = CAUSAL_NONE;
    for (uint32_t i = 0; i < c->count && next < m->open_count; i++) {
        if (c->events[i].node != node)
            for (size_t k = 0; k < c->node_count; k++)
                m->carried[k] = CAUSAL_NONE;
        node = c->events[i].node;
        if (c->events[i].kind != CAUSAL_RECEIVE)
            continue;
        if (m->open[next].receive == i)
            c->links[i] = match_choose(m, m->open[next++]);
        uint32_t send = c->links[i];
        if (send != CAUSAL_NONE) {
            uint32_t *carried = &m->carried[c->events[send].node];
            *carried = *carried == CAUSAL_NONE || *carried < send ? send : *carried;
        }
    }
    free(m->carried);
}

void causal_match(struct causal *c)
{
    struct match m = {.causal = c, .bounds = causal_bounds_new(c)};
    match_table_fill(c, &m.table);
    match_unambiguous(&m);
    causal_align(c, m.bounds);
    match_open_ones(&m);
    causal_bounds_free(m.bounds);
    free(m.open);
    match_table_free(&m.table);
}

/* ---- what has no send ---- */

/* Whether a node's log has nothing at a time: before its first event, after its last, where something was lost. */
static bool match_unlogged(const struct causal *c, uint32_t node, uint64_t time)
{
    uint32_t first = c->nodes[node], end = causal_node_end(c, node);
    uint64_t slack = c->options.delay;
    if (first == end || time < c->events[first].time + slack || time + slack > c->events[end - 1].time)
        return true;
    for (size_t i = 0; i < c->loss_count; i++) {
        const struct causal_lost *l = &c->losses[i];
        if (l->node == node && (l->event == first || c->events[l->event - 1].time <= time + slack) &&
            time <= c->events[l->event].time + slack)
            return true;
    }
    return false;
}

static bool match_excused(const struct causal *c, const struct causal_event *r)
{
    if (r->from < c->node_count)
        return match_unlogged(c, r->from, r->time);
    for (uint32_t node = 0; node < c->node_count; node++)
        if (node != r->node && match_unlogged(c, node, r->time))
            return true;
    return c->node_count == 1;
}

void causal_check_unmatched(struct causal *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const struct causal_event *e = &c->events[i];
        if (e->kind != CAUSAL_RECEIVE || c->links[i] != CAUSAL_NONE || e->open)
            continue;
        if (e->from == CAUSAL_STRANGER)
            c->counts.strangers++;
        else if (match_excused(c, e))
            c->counts.beyond++;
        else
            causal_find(c, CAUSAL_NO_SEND, i, CAUSAL_NONE);
    }
}
