/* Plans: replays that keep global time, made from the story of their logs.
 *
 * In a replay no time passes but for the instructions executed. A plan lets it wait before events of its log, so that
 * every event of the story happens at its global time or, where that cannot be, later. Invariant: no packet is received
 * before it is sent, since events are planned in the causal order.
 */
#include <stdlib.h>

#include "api/handles.h"
#include "api/merge.h"
#include "base/memory.h"
#include "motet/merge.h"
#include "record/replay.h"

struct merge_node_plan {
    double time; /* nanoseconds, of the last event */
    uint64_t cycle;
    struct replay_hold *holds; /* `tick` in nanoseconds */
    size_t count, room;
};

struct merge_planner {
    motet_merge *merge;
    double nanoseconds_per_cycle;
    struct merge_node_plan *nodes;
};

/* The event happens at its time, after its cause, and after what its node executes before it. */
static void merge_plan_event(void *context, uint32_t event, const uint32_t *clock)
{
    struct merge_planner *p = context;
    const struct causal *c = story_causal(p->merge->story);
    const struct causal_event *e = causal_event(c, event);
    const struct merge_anchor *a = &p->merge->anchors[event];
    struct merge_node_plan *n = &p->nodes[e->node];
    uint32_t cause = causal_cause(c, event);
    double wanted = (double)e->time;
    (void)clock;
    if (e->kind == CAUSAL_RECEIVE && cause != CAUSAL_NONE && p->merge->happened[cause] >= wanted)
        wanted = p->merge->happened[cause] + 1000;
    if (a->cycle >= n->cycle) {
        double comes = n->time + (double)(a->cycle - n->cycle) * p->nanoseconds_per_cycle;
        double there = wanted - (double)(a->happens - a->cycle) * p->nanoseconds_per_cycle;
        if (there > comes && a->event != UINT64_MAX) {
            n->holds = memory_grow(n->holds, &n->room, n->count, sizeof *n->holds);
            n->holds[n->count++] = (struct replay_hold){a->event, (uint64_t)there};
            comes = there;
        }
        n->time = comes;
        n->cycle = a->cycle;
    }
    n->time += a->happens > n->cycle ? (double)(a->happens - n->cycle) * p->nanoseconds_per_cycle : 0;
    n->cycle = a->happens > n->cycle ? a->happens : n->cycle;
    p->merge->happened[event] = n->time;
}

void motet_merge_plan(motet_merge *m, uint32_t number, motet_machine *machine)
{
    const struct causal *c = story_causal(m->story);
    struct merge_planner p = {.merge = m, .nanoseconds_per_cycle = 1e9 / (double)motet_machine_cpu_hz(machine)};
    double ticks = (double)motet_machine_hz(machine) / 1e9;
    p.nodes = memory_array(causal_nodes(c), sizeof *p.nodes);
    if (!m->happened)
        m->happened = memory_array(causal_count(c), sizeof *m->happened);
    causal_walk(c, merge_plan_event, &p);
    struct merge_node_plan *is = &p.nodes[number];
    for (size_t i = 0; i < is->count; i++)
        is->holds[i].tick = (uint64_t)((double)is->holds[i].tick * ticks);
    replay_plan(machine->replay, is->holds, is->count);
    for (uint32_t i = 0; i < causal_nodes(c); i++)
        free(p.nodes[i].holds);
    free(p.nodes);
}
