#include "check/vigil.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "node/machine.h"
#include "part/cc2420.h"

enum { VIGIL_SLEPT = 3 }; /* seconds with sleep that make a node one that sleeps */

struct watched {
    uint64_t tick, cycle; /* of the last look */
    uint32_t awake;       /* seconds in a row */
    uint32_t unread;
    uint32_t resets;
    uint8_t slept;   /* seconds, up to VIGIL_SLEPT */
    uint8_t fetched; /* something was taken out of the buffer once */
    uint8_t waits;   /* at the last look a frame was in the buffer, at */
    uint8_t front;
};

struct vigil {
    const struct network *network;
    uint32_t patience; /* seconds */
    uint64_t next;
    struct watched *nodes;
};

static size_t vigil_size(const struct vigil *v)
{
    return network_count(v->network) * sizeof *v->nodes;
}

struct vigil *vigil_new(const struct network *n, uint64_t patience)
{
    struct vigil *v = memory_new(sizeof *v);
    v->network = n;
    v->patience = (uint32_t)(patience / NETWORK_SECOND);
    v->next = NETWORK_SECOND;
    v->nodes = memory_array(network_count(n), sizeof *v->nodes);
    return v;
}

void vigil_free(struct vigil *v)
{
    if (!v)
        return;
    free(v->nodes);
    free(v);
}

uint64_t vigil_next(const struct vigil *v)
{
    return v->next;
}

/* The CPU's clock stands still in sleep. Of a second with a reset or a loss of power nothing is known. */
static void vigil_look_for_sleep(struct watched *w, const struct node *n)
{
    const struct clock *cpu = &n->state->clocks[CLOCK_CPU];
    uint64_t tick = n->state->now, cycle = clock_cycle_at(cpu, tick);
    struct clock since = {.period = cpu->period, .base_tick = w->tick, .base_cycle = w->cycle};
    bool sleeps = n->state->sleeping || !cpu->period;
    bool anew = n->state->resets != w->resets || tick < w->tick || cycle < w->cycle;
    bool hangs = !sleeps && n->state->exit == NODE_EXIT_HALT; /* in an endless loop */
    bool awake = !anew && !sleeps && tick > w->tick && cycle + 1 >= clock_cycle_at(&since, tick);
    if (hangs || awake)
        w->awake++;
    else
        w->awake = 0;
    w->slept += !anew && !hangs && !awake && w->slept < VIGIL_SLEPT;
    w->tick = tick;
    w->cycle = cycle;
    w->resets = n->state->resets;
}

static void vigil_look_at_radio(struct watched *w, const struct node *n)
{
    unsigned front = 0;
    bool waits = false;
    for (unsigned i = 0; i < n->machine->device_count && !waits; i++)
        if (n->machine->devices[i].type == &cc2420_type)
            waits = cc2420_unread(n, &n->machine->devices[i], &front);
    w->fetched |= front != w->front;
    w->unread = waits && w->waits && front == w->front ? w->unread + 1 : 0;
    w->waits = waits;
    w->front = (uint8_t)front;
}

enum vigil_finding vigil_look(struct vigil *v, uint32_t *node)
{
    enum vigil_finding found = VIGIL_NOTHING;
    if (network_now(v->network) < v->next)
        return VIGIL_NOTHING;
    v->next = (network_now(v->network) / NETWORK_SECOND + 1) * NETWORK_SECOND;
    for (uint32_t i = network_count(v->network); i-- > 0;) {
        struct watched *w = &v->nodes[i];
        const struct node *n = network_node(v->network, i);
        if (!network_powered(v->network, i)) {
            w->awake = w->unread = 0;
            continue;
        }
        vigil_look_for_sleep(w, n);
        vigil_look_at_radio(w, n);
        if (w->awake >= v->patience && w->slept == VIGIL_SLEPT)
            found = VIGIL_AWAKE, *node = i;
        else if (w->unread >= v->patience && w->fetched)
            found = VIGIL_UNREAD, *node = i;
    }
    return found;
}

/* The time to look next, then the nodes. */
void *vigil_keep(const struct vigil *v)
{
    uint8_t *state = memory_new(sizeof v->next + vigil_size(v));
    memcpy(state, &v->next, sizeof v->next);
    memcpy(state + sizeof v->next, v->nodes, vigil_size(v));
    return state;
}

void vigil_back(struct vigil *v, const void *state)
{
    memcpy(&v->next, state, sizeof v->next);
    memcpy(v->nodes, (const uint8_t *)state + sizeof v->next, vigil_size(v));
}
