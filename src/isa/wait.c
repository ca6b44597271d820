#include "isa/wait.h"

#include <stdlib.h>
#include <string.h>

#include "node/machine.h"
#include "node/taps.h"

bool wait_is_off(void)
{
    const char *told = getenv("MOTET_EVERY_ROUND");
    return told && *told && strcmp(told, "0") != 0;
}

bool wait_register(const struct node *n, uint32_t place, struct outlook *s)
{
    const struct machine *m = n->machine;
    const struct machine_register *r = &m->registers[place];
    r -= r->within;
    *s = (struct outlook){.kind = OUTLOOK_SAME, .until = NEVER};
    if (n->taps && n->taps->watches_registers)
        return false;
    if (r->matters && !(n->data[place] & r->matters))
        return true;
    for (unsigned i = 0; i < r->wires.count; i++) {
        const struct wire *w = &m->wires[r->wires.first + i];
        struct outlook one = {.kind = OUTLOOK_SAME, .until = NEVER};
        if (!(w->mode & WIRE_READ))
            continue;
        if (!w->device->type->outlook || !w->device->type->outlook(n, w->device, w->role, &one))
            return false;
        if (one.kind != OUTLOOK_SAME && s->kind != OUTLOOK_SAME)
            return false;
        one.until = one.until < s->until ? one.until : s->until;
        if (one.kind != OUTLOOK_SAME)
            *s = one;
        s->until = one.until;
    }
    return true;
}

uint64_t wait_cycles_to(const struct node *n, uint64_t tick)
{
    const struct clock *c = &n->state->clocks[CLOCK_CPU];
    if (tick == NEVER)
        return NEVER;
    if (tick <= n->time)
        return 0;
    uint64_t end = clock_cycle_at(c, tick);
    if (clock_tick_of(c, end) < tick)
        end++;
    return end - clock_cycle_at(c, n->time);
}

void wait_note(struct node *n, const struct wait_round *r)
{
    const struct clock *c = &n->state->clocks[CLOCK_CPU];
    const uint64_t most = UINT64_C(1) << 40;
    uint64_t rounds = r->same < most ? r->same + 1 : most, cycles = rounds * (uint64_t)r->cycles;
    cycles = r->ends < cycles ? r->ends : cycles;
    n->waits_until = clock_tick_of(c, clock_cycle_at(c, n->time) + cycles);
}

uint64_t wait_rounds(const struct wait_round *r, int64_t left)
{
    uint64_t cycles = (uint64_t)left >> SLICE_COUNT_BITS;
    if (r->ends < cycles)
        cycles = r->ends;
    uint64_t rounds = cycles / (uint64_t)r->cycles;
    rounds = rounds ? rounds - 1 : 0;
    return rounds < r->same ? rounds : r->same;
}
