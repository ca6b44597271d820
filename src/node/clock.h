/* Clocks: the domains in which a chip counts, on one time base.
 *
 * A node's time base is the *tick* (one period of the main oscillator where a chip has one). A clock counts its own
 * cycles at a period given in ticks, 32.32 fixed point; it can change its period or stop (sleep modes) and never loses
 * a cycle it has counted. Invariant: for a running clock, clock_cycle_at(c, clock_tick_of(c, n)) == n for every n >=
 * c->base_cycle.
 */
#ifndef NODE_CLOCK_H
#define NODE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#define CLOCK_ONE (UINT64_C(1) << 32) /* a period of one tick */
#define NEVER     UINT64_MAX

struct clock {
    uint64_t period; /* ticks per cycle, 32.32; 0 while stopped */
    uint64_t base_tick, base_cycle;
};

/* The period of a clock of `hz` where a tick lasts 1/tick_hz, drifting by `ppm` millionths (positive: fast). */
static inline uint64_t clock_period(uint64_t tick_hz, double hz)
{
    return (uint64_t)((double)tick_hz / hz * (double)CLOCK_ONE + 0.5);
}

static inline uint64_t clock_cycle_at(const struct clock *c, uint64_t tick)
{
    if (c->period == CLOCK_ONE)
        return c->base_cycle + (tick - c->base_tick);
    if (c->period == 0)
        return c->base_cycle;
    return c->base_cycle + (uint64_t)(((unsigned __int128)(tick - c->base_tick) << 32) / c->period);
}

/* The tick at which the given cycle begins; NEVER for a stopped clock. The past is clamped to the clock's base. */
static inline uint64_t clock_tick_of(const struct clock *c, uint64_t cycle)
{
    if (c->period == 0 || cycle == NEVER)
        return NEVER;
    if (cycle <= c->base_cycle)
        return c->base_tick;
    if (c->period == CLOCK_ONE)
        return c->base_tick + (cycle - c->base_cycle);
    unsigned __int128 ticks = (unsigned __int128)(cycle - c->base_cycle) * c->period + (CLOCK_ONE - 1);
    ticks >>= 32;
    return ticks > NEVER - 1 - c->base_tick ? NEVER : c->base_tick + (uint64_t)ticks;
}

/* Changes the period (0 stops) at `tick`. The cycle under way counts as begun. */
static inline void clock_set(struct clock *c, uint64_t tick, uint64_t period)
{
    c->base_cycle = clock_cycle_at(c, tick);
    c->base_tick = tick;
    c->period = period;
}

/* Starts a stopped clock at `tick` in step with another of the same source: both count from the beginning of the cycle
 * that is under way there. */
static inline void clock_join(struct clock *c, struct clock *with, uint64_t tick)
{
    uint64_t cycle = clock_cycle_at(with, tick);
    with->base_tick = c->base_tick = clock_tick_of(with, cycle);
    with->base_cycle = cycle;
    c->period = with->period;
}

#endif
