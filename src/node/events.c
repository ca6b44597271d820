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

static uint64_t bit_of(unsigned slot)
{
    return UINT64_C(1) << slot % 64;
}

/* ---- the agenda ---- */

/* The left one wins where both are due at once. */
static void find_first(struct node *n)
{
    const struct event_slot *slots = slots_of(n);
    unsigned best = AGENDA_NONE;
    uint64_t when = NEVER;
    for (unsigned word = 0; 64 * word < n->machine->event_slots; word++)
        for (uint64_t left = n->agenda.pending[word]; left; left &= left - 1) {
            unsigned slot = 64 * word + (unsigned)__builtin_ctzll(left);
            if (slots[slot].when < when) {
                best = slot;
                when = slots[slot].when;
            }
        }
    n->agenda.first = best;
    n->agenda.when = when;
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
    n->agenda = (struct agenda){.when = NEVER, .first = AGENDA_NONE};
}

void events_restored(struct node *n)
{
    const struct event_slot *slots = slots_of(n);
    n->agenda = (struct agenda){0};
    for (unsigned i = 0; i < n->machine->event_slots; i++)
        if (slots[i].cycle != NEVER)
            n->agenda.pending[i / 64] |= bit_of(i);
    find_first(n);
}

/* Updating one path after the other works although others are not settled yet: the last update of an entry finds all
 * entries below it final. */
void events_settle(const struct node *n)
{
    struct agenda *a = (struct agenda *)(uintptr_t)&n->agenda; /* what is seen of the node does not change */
    const struct event_slot *slots = slots_of(n);
    uint8_t *winner = tournament_of(n);
    for (unsigned word = 0; word < AGENDA_WORDS; word++) {
        for (uint64_t left = a->stale[word]; left; left &= left - 1) {
            unsigned slot = 64 * word + (unsigned)__builtin_ctzll(left);
            for (unsigned at = (n->machine->event_slots + slot) / 2; at >= 1; at /= 2)
                replay_match(slots, winner, at);
        }
        a->stale[word] = 0;
    }
}

static void set_when(struct node *n, unsigned slot, uint64_t when)
{
    struct event_slot *s = &slots_of(n)[slot];
    struct agenda *a = &n->agenda;
    if (when < n->time)
        when = n->time;
    if (when < n->horizon) {
        n->cut |= NODE_SOONER;
        n->horizon = when;
    }
    if (s->when == when)
        return;
    s->when = when;
    a->stale[slot / 64] |= bit_of(slot);
    if (when < a->when || (when == a->when && slot < a->first)) {
        a->when = when;
        a->first = slot;
    } else if (slot == a->first) {
        find_first(n);
    }
}

/* A pending event is not pending any more. */
static void forget_cycle(struct node *n, unsigned slot)
{
    struct event_slot *s = &slots_of(n)[slot];
    n->state->pending[s->clock]--;
    n->agenda.pending[slot / 64] &= ~bit_of(slot);
    s->cycle = NEVER;
    s->clock = 0;
}

/* Events run here, and most are pending again when they have run. So the first is looked for once, after that: until
 * then no other becomes it. */
void events_run_due(struct node *n, uint64_t tick)
{
    n->waits_until = 0; /* what was waited for may be here: also in the middle of an instruction that reads it */
    while (n->agenda.when <= tick && !n->state->exit) {
        unsigned slot = n->agenda.first;
        struct event_slot *s = &slots_of(n)[slot];
        const struct device *d = &n->machine->devices[n->machine->event_device[slot]];
        n->time = s->when;
        n->changed = true;
        forget_cycle(n, slot);
        s->when = NEVER;
        n->agenda.stale[slot / 64] |= bit_of(slot);
        n->agenda.when = 0;
        n->agenda.first = AGENDA_NONE;
        d->type->event(n, d, slot - d->first_event);
        find_first(n);
    }
}

void events_reclock(struct node *n, unsigned clock)
{
    const struct event_slot *slots = slots_of(n);
    unsigned left = n->state->pending[clock];
    for (unsigned word = 0; left; word++)
        for (uint64_t bits = n->agenda.pending[word]; bits && left; bits &= bits - 1) {
            unsigned slot = 64 * word + (unsigned)__builtin_ctzll(bits);
            if (slots[slot].clock != clock)
                continue;
            set_when(n, slot, clock_tick_of(&n->state->clocks[clock], slots[slot].cycle));
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
    n->agenda.pending[slot / 64] |= bit_of(slot);
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
    forget_cycle(n, slot);
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
