#include "device/avr/prescaler.h"

#include "node/clock.h"

/* Dividers are powers of two, so that nothing need be divided. */
static uint64_t taps_since_base(const struct prescaler *p, unsigned divisor, uint64_t cycle)
{
    return cycle < p->base ? 0 : (cycle - p->base) >> __builtin_ctz(divisor);
}

uint64_t prescaler_ticks(const struct prescaler *p, unsigned divisor, uint64_t from, uint64_t to)
{
    if (p->held || to <= from)
        return 0;
    if (divisor == 1)
        return to - from;
    return taps_since_base(p, divisor, to) - taps_since_base(p, divisor, from);
}

uint64_t prescaler_cycle(const struct prescaler *p, unsigned divisor, uint64_t from, uint64_t ticks)
{
    if (p->held || ticks > UINT64_MAX >> 24)
        return NEVER;
    if (divisor == 1)
        return from + ticks;
    return p->base + (taps_since_base(p, divisor, from) + ticks) * divisor;
}
