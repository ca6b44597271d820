#include <stdlib.h>

#include "check/minimiser.h"

enum { NODES_SETS = 4 };                      /* of nodes that are kept, of each size */
#define NODES_LONGEST (4000 * NETWORK_SECOND) /* of runs: a node that is left out comes up after that */

/* How many nodes are kept, and how many walks then look for the violation. */
static const struct {
    uint32_t kept; /* 0: half of them */
    unsigned sets, walks;
} nodes_sizes[] = {{2, NODES_SETS, 24}, {3, NODES_SETS, 12}, {0, 1, 8}};

/* Leaves out all but the node that failed and some others, which lie next to each other in the order of nodes. */
static void nodes_leave(struct minimiser *m, uint32_t kept, uint32_t set)
{
    const struct network *n = world_network(m->world);
    struct trace out = {.list = NULL};
    uint32_t others = network_count(n) - 1, other = 0;
    for (uint32_t i = 0; i < network_count(n); i++) {
        struct choice c = {.source = CHOICE_BOOT, .node = network_node(n, i)->id, .outcome = CHOICE_LEFT_OUT};
        if (c.node != m->violation.node && (other++ + others - set) % others >= kept - 1)
            trace_add(&out, &c);
    }
    world_leave_out(m->world, out.list, out.count);
    trace_free(&out);
}

/* The first has no choices. */
static bool nodes_walk(struct minimiser *m, uint64_t number, bool plain)
{
    struct trace before = {.list = NULL};
    struct violation v;
    uint64_t seed = search_seed(m->o, UINT64_C(1) << 43 | number);
    struct weights weights = weights_mixed(&m->o->weights, seed);
    if (!plain)
        walk_draw_serials(&weights, m->o->steady, seed, &before);
    struct walk *walk = walk_new(world_network(m->world), &weights, seed, &before, plain ? NEVER : m->o->steady);
    m->work->runs++;
    if (world_settle(m->world, before.list, before.count, m->o->steady, &v))
        v = world_run(m->world, walk_driver(walk), m->o->steady + m->o->length);
    bool same = violation_same(&v, &m->violation);
    if (same)
        minimise_accept(m, &v, walk_trace(walk));
    walk_free(walk);
    trace_free(&before);
    return same;
}

static bool nodes_try(struct minimiser *m, uint32_t kept, unsigned sets, unsigned walks)
{
    uint64_t number = (uint64_t)kept << 16;
    for (unsigned set = 0; set < sets && set + 1 < network_count(world_network(m->world)); set++) {
        nodes_leave(m, kept, set);
        for (unsigned i = 0; i < walks && !minimise_stops(m); i++)
            if (nodes_walk(m, number++, i == 0))
                return true;
    }
    return false;
}

void minimise_nodes(struct minimiser *m)
{
    uint32_t count = network_count(world_network(m->world));
    if (!m->m->rewalks || m->o->steady + m->o->length > NODES_LONGEST)
        return;
    for (size_t i = 0; i < sizeof nodes_sizes / sizeof *nodes_sizes; i++) {
        uint32_t kept = nodes_sizes[i].kept ? nodes_sizes[i].kept : count / 2;
        if (kept < 2 || kept >= count || (i && !nodes_sizes[i].kept && kept <= nodes_sizes[i - 1].kept))
            continue;
        if (nodes_try(m, kept, nodes_sizes[i].sets, nodes_sizes[i].walks))
            return;
    }
    world_leave_out(m->world, NULL, 0);
}
