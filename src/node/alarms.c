/* Alarms: callbacks at simulated times. */
#include "node/taps.h"

static uint64_t tick_of(const struct node *n, const struct motet_tap *a)
{
    return a->clock == MOTET_TICKS ? a->due : clock_tick_of(&n->state->clocks[CLOCK_CPU], a->due);
}

void alarms_renew(struct node *n)
{
    struct taps *t = n->taps;
    uint64_t first = NEVER;
    t->cycle_alarms = false;
    for (unsigned i = 0; i < t->alarms.count; i++) {
        const struct motet_tap *a = t->alarms.items[i];
        uint64_t tick = a->dead ? NEVER : tick_of(n, a);
        t->cycle_alarms |= !a->dead && a->clock == MOTET_CYCLES;
        first = tick < first ? tick : first;
    }
    n->alarm = first;
}

static void ring(struct node *n, struct motet_tap *a)
{
    uint64_t now = a->clock == MOTET_TICKS ? n->time : node_cycle(n, CLOCK_CPU);
    uint64_t due = a->due;
    if (a->period && now > due)
        due += (now - due) / a->period * a->period;
    a->due = a->period && due < NEVER - a->period ? due + a->period : NEVER;
    a->alarmed(a->context, n->handle, due);
}

void alarms_run(struct node *n)
{
    struct taps *t = n->taps;
    unsigned count = t->alarms.count;
    taps_enter(t);
    for (unsigned i = 0; i < count; i++) {
        struct motet_tap *a = t->alarms.items[i];
        if (!a->dead && tick_of(n, a) <= n->time)
            ring(n, a);
    }
    taps_leave(t);
    alarms_renew(n);
}
