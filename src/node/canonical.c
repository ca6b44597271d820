#include "node/canonical.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pages.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/events.h"
#include "node/machine.h"
#include "node/uses.h"

void canonical_clock(struct node *n, unsigned clock)
{
    struct clock *c = &n->state->clocks[clock];
    if (!c->period && !n->state->pending[clock])
        c->base_tick = c->base_cycle = 0;
}

void canonical_clock_phase(struct node *n, unsigned clock)
{
    struct clock *c = &n->state->clocks[clock];
    canonical_clock(n, clock);
    if (!c->period || n->state->pending[clock])
        return;
    c->base_tick = (uint64_t)(((unsigned __int128)(n->state->now - c->base_tick) << 32) % c->period);
    c->base_cycle = 0;
}

void node_canonical(struct node *n)
{
    const struct machine *m = n->machine;
    n->changed = true;
    n->time = n->state->now;
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type->canonical)
            m->devices[i].type->canonical(n, &m->devices[i]);
    if (m->chip->isa->canonical)
        m->chip->isa->canonical(n);
    n->state->instructions = 0;
    canonical_clock(n, CLOCK_CPU);
    for (unsigned i = 0; i < CLOCK_LIMIT; i++) /* when a clock was stopped is seen by nothing, its cycle may be */
        if (!n->state->clocks[i].period)
            n->state->clocks[i].base_tick = 0;
}

struct digest node_canonical_digest(const struct node *n)
{
    const struct machine *m = n->machine;
    events_settle(n);
    uint8_t *copy = memory_copy(n->arena, m->arena_size);
    uses_clear_tracked(m, copy);
    struct digest d = digest_of(copy, m->arena_size);
    for (size_t i = 0; i < m->pages_count; i++)
        d = digest_join(d, pages_digest(n->pages[i]));
    free(copy);
    return d;
}
