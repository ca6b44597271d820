#include "merge/causal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "merge/causal_internal.h"

#define CAUSAL_LATEST (UINT64_C(1) << 61) /* nanoseconds: sums and differences of times do not overflow */

struct causal *causal_new(const struct causal_options *o)
{
    struct causal *c = memory_new(sizeof *c);
    c->options = *o;
    if (!c->options.delay)
        c->options.delay = 100000000;
    if (!c->options.copies)
        c->options.copies = 30000000;
    return c;
}

void causal_free(struct causal *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->clock_count; i++)
        free(c->clocks[i].knots);
    free(c->clocks);
    free(c->events);
    free(c->links);
    free(c->order);
    free(c->nodes);
    free(c->losses);
    free(c->findings);
    free(c);
}

uint32_t causal_node(struct causal *c)
{
    assert(c->node_count < CAUSAL_NODES && !c->order);
    c->nodes = memory_grow(c->nodes, &c->node_room, c->node_count, sizeof *c->nodes);
    c->nodes[c->node_count] = (uint32_t)c->count;
    c->cut = CAUSAL_NEW_CLOCK;
    return (uint32_t)c->node_count++;
}

void causal_cut(struct causal *c, unsigned what)
{
    c->cut |= what;
}

static void causal_begin_clock(struct causal *c)
{
    c->clocks = memory_grow(c->clocks, &c->clock_room, c->clock_count, sizeof *c->clocks);
    c->clocks[c->clock_count++] =
        (struct causal_clock){.node = (uint32_t)c->node_count - 1, .first = (uint32_t)c->count};
}

void causal_add(struct causal *c, const struct causal_event *e)
{
    assert(c->node_count && c->count < CAUSAL_NONE - 1);
    if (c->cut & CAUSAL_NEW_CLOCK)
        causal_begin_clock(c);
    if (c->cut & CAUSAL_LOST) {
        c->losses = memory_grow(c->losses, &c->loss_room, c->loss_count, sizeof *c->losses);
        c->losses[c->loss_count++] = (struct causal_lost){(uint32_t)c->node_count - 1, (uint32_t)c->count};
    }
    c->cut = 0;
    c->events = memory_grow(c->events, &c->room, c->count, sizeof *c->events);
    c->events[c->count] = *e;
    if (e->time > CAUSAL_LATEST)
        c->events[c->count].time = CAUSAL_LATEST;
    c->events[c->count].node = (uint32_t)c->node_count - 1;
    c->events[c->count].open = 0;
    c->events[c->count++].copy = 0;
    c->clocks[c->clock_count - 1].end = (uint32_t)c->count;
}

void causal_find(struct causal *c, enum causal_wrong wrong, uint32_t event, uint32_t other)
{
    c->findings = memory_grow(c->findings, &c->finding_room, c->finding_count, sizeof *c->findings);
    c->findings[c->finding_count++] = (struct causal_finding){wrong, event, other};
}

uint32_t causal_node_end(const struct causal *c, uint32_t node)
{
    return node + 1 < c->node_count ? c->nodes[node + 1] : (uint32_t)c->count;
}

/* Clocks are in the order of their events. */
struct causal_clock *causal_clock_of(const struct causal *c, uint32_t event)
{
    size_t low = 0, high = c->clock_count - 1;
    while (low < high) {
        size_t middle = (low + high + 1) / 2;
        if (c->clocks[middle].first <= event)
            low = middle;
        else
            high = middle - 1;
    }
    return &c->clocks[low];
}

void causal_name_senders(struct causal *c, const uint32_t *numbers)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->events[i].kind == CAUSAL_RECEIVE && c->events[i].from < CAUSAL_NODES)
            c->events[i].from = numbers[c->events[i].from];
}

/* Clocks that run backward are set right: from there on nothing is known but the order. */
static void causal_check_clocks(struct causal *c)
{
    for (size_t i = 0; i < c->clock_count; i++) {
        const struct causal_clock *k = &c->clocks[i];
        for (uint32_t e = k->first + 1; e < k->end; e++)
            if (c->events[e].time < c->events[e - 1].time) {
                causal_find(c, CAUSAL_BACKWARD, e, e - 1);
                c->events[e].time = c->events[e - 1].time;
            }
    }
}

void causal_merge(struct causal *c)
{
    assert(!c->order);
    c->events = memory_resize(c->events, c->count, sizeof *c->events);
    c->links = memory_resize(NULL, c->count, sizeof *c->links);
    memset(c->links, 0xff, c->count * sizeof *c->links);
    causal_check_clocks(c);
    causal_match(c);
    causal_order(c);
    causal_check_unmatched(c);
}

uint32_t causal_nodes(const struct causal *c)
{
    return (uint32_t)c->node_count;
}

uint32_t causal_count(const struct causal *c)
{
    return (uint32_t)c->count;
}

const struct causal_event *causal_event(const struct causal *c, uint32_t event)
{
    return &c->events[event];
}

void causal_range(const struct causal *c, uint32_t node, uint32_t *first, uint32_t *end)
{
    *first = c->nodes[node];
    *end = causal_node_end(c, node);
}

uint32_t causal_cause(const struct causal *c, uint32_t event)
{
    const struct causal_event *e = &c->events[event];
    return e->kind == CAUSAL_RECEIVE || (e->kind == CAUSAL_SEND && e->copy) ? c->links[event] : CAUSAL_NONE;
}

uint32_t causal_effects(const struct causal *c, uint32_t event)
{
    const struct causal_event *e = &c->events[event];
    return e->kind == CAUSAL_SEND && !e->copy ? c->links[event] : 0;
}

void causal_counts(const struct causal *c, struct causal_counts *counts)
{
    *counts = c->counts;
}

size_t causal_findings(const struct causal *c, const struct causal_finding **list)
{
    *list = c->findings;
    return c->finding_count;
}
