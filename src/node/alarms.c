/* Alarms: callbacks at simulated times. */
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/taps.h"

static uint64_t tick_of(const struct node *n, const struct motet_tap *a)
{
    return a->clock == MOTET_TICKS ? a->due : clock_tick_of(&n->state->clocks[CLOCK_CPU], a->due);
}

void alarms_renew(struct node *n)
{
    struct taps *t = n->taps;
    uint64_t first = NEVER;
    unsigned count = 0;
    t->cycle_alarms = false;
    t->beat = NULL;
    for (unsigned i = 0; i < t->alarms.count; i++) {
        struct motet_tap *a = t->alarms.items[i];
        if (a->dead)
            continue;
        uint64_t tick = tick_of(n, a);
        t->cycle_alarms |= a->clock == MOTET_CYCLES;
        first = tick < first ? tick : first;
        t->beat = count++ == 0 && a->clock == MOTET_CYCLES && a->period ? a : NULL;
    }
    n->alarm = first;
}

static void ring(struct node *n, struct motet_tap *a)
{
    uint64_t now = a->clock == MOTET_TICKS ? n->time : node_cycle(n, CLOCK_CPU);
    uint64_t due = alarm_passes(a, now);
    if (a->clock == MOTET_CYCLES && n->state->halt_at)
        return; /* the CPU has ended: its clock goes on for the devices alone */
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

/* ---- samples ---- */

static void alarms_sampled(void *context, const motet_node *handle, uint64_t due)
{
    struct motet_tap *a = context;
    (void)handle, (void)due;
    sample_count(a, a->node->machine->chip->isa->pc(a->node));
}

struct motet_tap *tap_sample(struct node *n, uint64_t at, uint64_t period, uint64_t *counts, size_t room)
{
    struct motet_tap *a = tap_alarm(n, MOTET_CYCLES, at, period, alarms_sampled, NULL);
    a->context = a;
    a->counts = counts;
    a->count_room = room;
    alarms_renew(n);
    return a;
}
