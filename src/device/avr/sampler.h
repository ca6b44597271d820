/* Samplers: the synchroniser, noise canceller and edge detector between a pin and a timer.
 *
 * A pin is sampled once in a cycle of the I/O clock; an edge reaches the timer 2.5 to 3.5 cycles after the pin
 * (ATmega128, "External Clock Source"). As for PINx, a change counts as happening late in its cycle, so that all have
 * the longest delay. The noise canceller wants four equal samples and adds four cycles ("Noise Canceler"). Invariant:
 * the queue holds, in order, the changes that are still under way to the timer, alternating in level.
 */
#ifndef DEVICE_AVR_SAMPLER_H
#define DEVICE_AVR_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

#include "node/clock.h"

enum { SAMPLER_DELAY = 4, SAMPLER_CANCELLER = 4, SAMPLER_QUEUE = 4 };

struct sampler {
    uint64_t due[SAMPLER_QUEUE]; /* cycle in which the timer acts on the change */
    uint32_t count;
    uint32_t settled; /* the level after the last change the timer has seen */
};

/* Whether the level is another than that after all changes so far. */
static inline bool sampler_turns(const struct sampler *s, bool level)
{
    return level != ((s->settled ^ s->count) & 1);
}

/* The level of the pin in `cycle` is this; changes due before the cycle must have been taken. */
static inline void sampler_change(struct sampler *s, uint64_t cycle, bool level, bool cancel_noise)
{
    unsigned delay = SAMPLER_DELAY + (cancel_noise ? SAMPLER_CANCELLER : 0);
    unsigned window = cancel_noise ? SAMPLER_CANCELLER : 1;
    if (!sampler_turns(s, level))
        return;
    if (s->count && s->due[s->count - 1] + window > cycle + delay)
        s->due[--s->count] = 0; /* the last one did not last long enough */
    else if (s->count < SAMPLER_QUEUE)
        s->due[s->count++] = cycle + delay;
}

/* No sampling: the level as it is. */
static inline void sampler_settle(struct sampler *s, bool level)
{
    *s = (struct sampler){.settled = level};
}

static inline uint64_t sampler_due(const struct sampler *s)
{
    return s->count ? s->due[0] : NEVER;
}

/* Takes the first change; returns the level it brings. */
static inline bool sampler_take(struct sampler *s)
{
    s->count--;
    for (unsigned i = 0; i < SAMPLER_QUEUE - 1; i++)
        s->due[i] = s->due[i + 1];
    s->due[SAMPLER_QUEUE - 1] = 0;
    s->settled ^= 1;
    return s->settled;
}

#endif
