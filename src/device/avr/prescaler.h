/* Prescalers: the free-running divider between a clock and the timers that use it.
 *
 * The divider counts from reset whether or not a timer uses it ("The prescaler is free running", ATmega128, "Timer/
 * Counter3, Timer/Counter2, and Timer/Counter1 Prescalers"), so a timer started at an arbitrary moment gets its first
 * clock after 1 to N cycles. A tap divided by N ticks whenever the divider passes a multiple of N. Timers that share a
 * prescaler each keep a copy of it, and all of them handle its reset. Invariant: the copies are equal.
 */
#ifndef DEVICE_AVR_PRESCALER_H
#define DEVICE_AVR_PRESCALER_H

#include <stdint.h>

#include "node/clock.h"

struct prescaler {
    uint64_t base; /* the cycle in which the divider was 0 */
    uint64_t held; /* synchronisation mode (TSM) holds it at 0 and its timers halted */
};

/* Dividers are powers of two, so that nothing need be divided. */
static inline uint64_t prescaler_taps(const struct prescaler *p, unsigned divisor, uint64_t cycle)
{
    return cycle < p->base ? 0 : (cycle - p->base) >> __builtin_ctz(divisor);
}

/* How many ticks of the tap 1/`divisor` (1: the undivided clock) fall into the cycles from+1 ... to. */
static inline uint64_t prescaler_ticks(const struct prescaler *p, unsigned divisor, uint64_t from, uint64_t to)
{
    if (p->held || to <= from)
        return 0;
    if (divisor == 1)
        return to - from;
    return prescaler_taps(p, divisor, to) - prescaler_taps(p, divisor, from);
}

/* The cycle of the `ticks`th tick after the cycle `from`; NEVER if there is none. */
static inline uint64_t prescaler_cycle(const struct prescaler *p, unsigned divisor, uint64_t from, uint64_t ticks)
{
    if (p->held || ticks > UINT64_MAX >> 24)
        return NEVER;
    if (divisor == 1)
        return from + ticks;
    return p->base + (prescaler_taps(p, divisor, from) + ticks) * divisor;
}

#endif
