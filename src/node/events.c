#include "node/events.h"

#include <assert.h>
#include <string.h>

#include "node/machine.h"

static struct event_slot *slots_of(const struct node *n)
{
    return (struct event_slot *)(n->arena + n->machine->events_offset);
}

static uint8_t *tournament_of(const struct node *n)
{
    return (uint8_t *)(slots_of(n) + n->machine->event_slots);
}

size_t events_size(unsigned slots)
{
    return slots * (sizeof(struct event_slot) + 2);
}

static void replay_match(const struct event_slot *slots, uint8_t *winner, unsigned at)
{
    unsigned a = winner[2 * at], b = winner[2 * at + 1];
    winner[at] = (uint8_t)(slots[b].when < slots[a].when ? b : a);
}

void events_init(struct node *n)
{
    unsigned count = n->machine->event_slots;
    struct event_slot *slots = slots_of(n);
    uint8_t *winner = tournament_of(n);
    for (unsigned i = 0; i < count; i++) {
        slots[i] = (struct event_slot){.when = NEVER, .cycle = NEVER};
        winner[count + i] = (uint8_t)i;
    }
    memset(n->state->pending, 0, sizeof n->state->pending);
    winner[0] = 0;
    for (unsigned i = count - 1; i >= 1; i--)
        replay_match(slots, winner, i);
}

/* The slot's time has changed: goes up from it, with the winner so far. The left one wins where both are due at once.
 */
static void replay_path(struct node *n, unsigned slot)
{
    const struct event_slot *slots = slots_of(n);
    uint8_t *winner = tournament_of(n);
    unsigned best = slot;
    uint64_t when = slots[slot].when;
    for (unsigned at = n->machine->event_slots + slot; at > 1; at /= 2) {
        unsigned other = winner[at ^ 1], before = winner[at / 2];
        uint64_t others = slots[other].when;
        if (at & 1 ? others <= when : others < when) {
            best = other;
            when = others;
        }
        winner[at / 2] = (uint8_t)best;
        if (best == before && before != slot)
            break; /* another's, and its time is what it was: nothing changes above */
    }
}

static void set_when(struct node *n, unsigned slot, uint64_t when)
{
    struct event_slot *slots = slots_of(n);
    if (when < n->time)
        when = n->time;
    if (when < n->horizon) {
        n->cut |= NODE_SOONER;
        n->horizon = when;
    }
    if (slots[slot].when == when)
        return;
    slots[slot].when = when;
    replay_path(n, slot);
}

/* A pending event is not pending any more. */
static void forget_cycle(struct node *n, struct event_slot *s)
{
    n->state->pending[s->clock]--;
    s->cycle = NEVER;
    s->clock = 0;
}

unsigned events_first(const struct node *n)
{
    return tournament_of(n)[1];
}

uint64_t events_next(const struct node *n)
{
    return slots_of(n)[events_first(n)].when;
}

/* Events run here, and most are pending again when they have run. So the tournament is played once for both: until then
 * its first one is the slot that runs, on every match of its path, and nothing else looks at it. */
void events_run(struct node *n, uint64_t tick)
{
    for (;;) {
        unsigned slot = events_first(n);
        struct event_slot *s = &slots_of(n)[slot];
        if (s->when > tick || n->state->exit)
            break;
        const struct device *d = &n->machine->devices[n->machine->event_device[slot]];
        n->time = s->when;
        n->changed = true;
        forget_cycle(n, s);
        s->when = NEVER;
        d->type->event(n, d, slot - d->first_event);
        if (s->when == NEVER)
            replay_path(n, slot);
    }
    n->time = tick;
}

void events_reclock(struct node *n, unsigned clock)
{
    struct event_slot *slots = slots_of(n);
    unsigned left = n->state->pending[clock];
    for (unsigned i = 0; left; i++)
        if (slots[i].cycle != NEVER && slots[i].clock == clock) {
            set_when(n, i, clock_tick_of(&n->state->clocks[clock], slots[i].cycle));
            left--;
        }
}

void event_at(struct node *n, const struct device *d, unsigned event, unsigned clock, uint64_t cycle)
{
    assert(event < d->type->events && clock < CLOCK_LIMIT);
    unsigned slot = d->first_event + event;
    if (cycle == NEVER) {
        event_cancel(n, d, event);
        return;
    }
    struct event_slot *s = &slots_of(n)[slot];
    if (s->cycle != NEVER)
        n->state->pending[s->clock]--;
    n->state->pending[clock]++;
    s->cycle = cycle;
    s->clock = clock;
    set_when(n, slot, clock_tick_of(&n->state->clocks[clock], cycle));
}

void event_in(struct node *n, const struct device *d, unsigned event, unsigned clock, uint64_t cycles)
{
    event_at(n, d, event, clock, node_cycle(n, clock) + cycles);
}

void event_cancel(struct node *n, const struct device *d, unsigned event)
{
    assert(event < d->type->events);
    unsigned slot = d->first_event + event;
    if (slots_of(n)[slot].cycle == NEVER)
        return;
    forget_cycle(n, &slots_of(n)[slot]);
    set_when(n, slot, NEVER);
}

bool event_pending(const struct node *n, const struct device *d, unsigned event)
{
    return event_cycle(n, d, event) != NEVER;
}

uint64_t event_cycle(const struct node *n, const struct device *d, unsigned event)
{
    return slots_of(n)[d->first_event + event].cycle;
}
