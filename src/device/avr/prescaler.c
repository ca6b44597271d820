#include "device/avr/prescaler.h"

#include "node/clock.h"

static uint64_t since_base(const struct prescaler *p, uint64_t cycle)
{
    return cycle < p->base ? 0 : cycle - p->base;
}

uint64_t prescaler_ticks(const struct prescaler *p, unsigned divisor, uint64_t from, uint64_t to)
{
    if (p->held || to <= from)
        return 0;
    if (divisor == 1)
        return to - from;
    return since_base(p, to) / divisor - since_base(p, from) / divisor;
}

uint64_t prescaler_cycle(const struct prescaler *p, unsigned divisor, uint64_t from, uint64_t ticks)
{
    if (p->held || ticks > UINT64_MAX >> 24)
        return NEVER;
    if (divisor == 1)
        return from + ticks;
    return p->base + (since_base(p, from) / divisor + ticks) * divisor;
}
