#include "node/holds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "node/choice.h"
#include "node/interrupts.h"
#include "node/machine.h"
#include "node/taps.h"

enum { HOLDS_LINES = 64 }; /* lines from this one on are never held */

struct holds {
    uint64_t held; /* a bit for each line */
    uint64_t until[HOLDS_LINES];
    uint32_t posted[HOLDS_LINES];
    uint32_t site[HOLDS_LINES]; /* 1 + address after which it comes, if that is before the time; 0: only the time */
};

static struct holds *holds_of(const struct node *n)
{
    return device_state(n, n->machine->holds);
}

static void holds_plan(struct node *n, const struct holds *h)
{
    uint64_t first = NEVER;
    for (uint64_t bits = h->held; bits; bits &= bits - 1) {
        uint64_t until = h->until[__builtin_ctzll(bits)];
        first = until < first ? until : first;
    }
    if (first == NEVER)
        event_cancel(n, n->machine->holds, 0);
    else
        event_at(n, n->machine->holds, 0, CLOCK_TICK, clock_cycle_at(&n->state->clocks[CLOCK_TICK], first));
}

static void holds_drop(struct node *n, struct holds *h, unsigned line)
{
    h->held &= ~(UINT64_C(1) << line);
    h->until[line] = 0;
    h->site[line] = 0;
    holds_plan(n, h);
}

/* A line asks the CPU now. */
static void holds_release(struct node *n, struct holds *h, unsigned line)
{
    h->held &= ~(UINT64_C(1) << line);
    h->until[line] = 0;
    h->site[line] = 0;
    interrupts_set(n, line, true);
    n->cut = true;
    if (taps_wanted(n, MOTET_ON(INTERRUPT_POST)))
        taps_interrupt_posted(n, line);
}

bool holds_take(struct node *n, unsigned line, bool level)
{
    struct holds *h = holds_of(n);
    uint64_t bit = line < HOLDS_LINES ? UINT64_C(1) << line : 0;
    if (!bit || (level && interrupts_asks(n, line)))
        return false;
    if (h->held & bit) {
        if (!level)
            holds_drop(n, h, line);
        return true;
    }
    if (!level)
        return false;
    struct choice c = {CHOICE_HOLD, n->id, line, h->posted[line]++, UINT32_MAX, n->time};
    uint32_t microseconds = choose(n->chooser, &c);
    if (!microseconds && n->chooser && n->chooser->preempts) {
        c.source = CHOICE_PREEMPT;
        h->site[line] = choose(n->chooser, &c);
        microseconds = h->site[line] ? HOLDS_PREEMPT : 0;
    }
    if (!microseconds)
        return false;
    n->disturbed = n->time;
    h->held |= bit;
    h->until[line] = n->time + node_ticks(n, microseconds * 1e-6);
    holds_plan(n, h);
    return true;
}

/* The time of some lines is over: they ask the CPU now. */
static void holds_event(struct node *n, const struct device *d, unsigned event)
{
    struct holds *h = device_state(n, d);
    (void)event;
    for (uint64_t bits = h->held; bits; bits &= bits - 1) {
        unsigned line = (unsigned)__builtin_ctzll(bits);
        if (h->until[line] <= n->time)
            holds_release(n, h, line);
    }
    holds_plan(n, h);
}

bool holds_open(const struct node *n)
{
    node_show(n);
    return n->machine->chip->isa->accepts(n);
}

/* The instruction is the next: what waits for it asks the CPU as soon as it is done, where that would listen. */
static void holds_met(void *context, const struct motet_node *handle, uint32_t pc, bool after)
{
    struct node *n = context;
    struct holds *h = holds_of(n);
    (void)handle, (void)after;
    for (uint64_t bits = h->held; bits; bits &= bits - 1) {
        unsigned line = (unsigned)__builtin_ctzll(bits);
        if (h->site[line] != pc + 1 || !holds_open(n))
            continue;
        holds_release(n, h, line);
        holds_plan(n, h);
    }
}

struct motet_tap *holds_look_out(struct node *n, uint32_t address)
{
    return tap_probe(n, address, address, MOTET_BEFORE, holds_met, n);
}

/* A reset clears the flags of all devices, and so every line. */
static void holds_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct holds *h = device_state(n, d);
    (void)cause;
    h->held = 0;
    memset(h->until, 0, sizeof h->until);
    memset(h->site, 0, sizeof h->site);
}

void *holds_keep(const struct node *n)
{
    return n->machine->holds ? memory_copy(holds_of(n)->posted, sizeof holds_of(n)->posted) : NULL;
}

void holds_put_back(struct node *n, void *ordinals)
{
    if (!ordinals)
        return;
    memcpy(holds_of(n)->posted, ordinals, sizeof holds_of(n)->posted);
    free(ordinals);
}

/* Ordinals only name choices. */
static void holds_canonical(struct node *n, const struct device *d)
{
    struct holds *h = device_state(n, d);
    memset(h->posted, 0, sizeof h->posted);
}

static const struct device_type holds_type = {.name = "holds",
                                              .state_size = sizeof(struct holds),
                                              .events = 1,
                                              .reset = holds_reset,
                                              .event = holds_event,
                                              .canonical = holds_canonical};

const struct chip_device holds_device = {.name = "holds", .type = &holds_type};
