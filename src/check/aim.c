#include "check/aim.h"

#include <stdlib.h>

#include "base/memory.h"
#include "node/holds.h"
#include "node/taps.h"

/* When a node executes an instruction, in nanoseconds. */
struct aim_passes {
    struct network *network;
    uint32_t number;
    uint64_t *times;
    size_t count, room;
};

static void aim_passed(void *context, const motet_node *handle, uint32_t pc, bool after)
{
    struct aim_passes *p = context;
    struct node *n = network_node(p->network, p->number);
    (void)handle, (void)pc, (void)after;
    if (n->glance.slice)
        node_show(n);
    p->times = memory_grow(p->times, &p->room, p->count, sizeof *p->times);
    p->times[p->count++] = network_time(p->network, p->number, n->time);
}

/* Whether the instruction is executed soon after a time. `from` is the first pass that can be; times only grow. */
static bool aim_meets(const struct aim_passes *p, uint64_t at, size_t *from)
{
    while (*from < p->count && p->times[*from] < at)
        ++*from;
    return *from < p->count && p->times[*from] - at <= UINT64_C(1000) * HOLDS_PREEMPT;
}

void aim_find(struct world *w, const struct search_options *o, const struct trace *plan, const struct choice *like,
              uint32_t node, uint64_t until, struct trace *occasions)
{
    struct aim_passes passes = {.network = world_network(w)};
    struct trace asked = {.list = NULL};
    struct violation v;
    size_t from = 0;
    if (!network_find(passes.network, node, &passes.number))
        return;
    struct walk *walk = walk_new(passes.network, &o->weights, 0, plan, NEVER);
    if (world_settle(w, plan->list, plan->count, o->steady, &v)) {
        uint32_t address = like->outcome - 1;
        struct motet_tap *tap =
            tap_probe(network_node(passes.network, passes.number), address, address, MOTET_BEFORE, aim_passed, &passes);
        walk_note(walk, &asked);
        world_run(w, walk_driver(walk), until);
        tap_remove(tap);
    }
    for (size_t i = 0; i < asked.count; i++) {
        struct choice c = asked.list[i];
        if (c.source != CHOICE_PREEMPT || c.node != node || c.other != like->other || !aim_meets(&passes, c.at, &from))
            continue;
        c.outcome = like->outcome;
        trace_add(occasions, &c);
    }
    walk_free(walk);
    trace_free(&asked);
    free(passes.times);
}
