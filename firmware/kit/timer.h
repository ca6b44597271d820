/* Any number of timers over the board's one hardware counter.
 *
 * Time is counted in ticks of TICKS_PER_SECOND (32768 where the board has a watch crystal) since the start, in 32 bits
 * that overflow: compare times only by their difference, as timer_reached() does. A millisecond is TICKS_PER_MS ticks,
 * 1/1024 s on boards with the crystal. A timer can wait for up to 2^31 ticks (18 hours with the crystal).
 *
 * Invariants: a timer fires in a task, never before its time; a periodic timer fires at multiples of its period from
 * its start however late a single call comes, so it does not drift. Timers are started and stopped from tasks only;
 * the time can be read anywhere.
 */
#ifndef KIT_TIMER_H
#define KIT_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "board.h"

struct timer {
    void (*fired)(struct timer *t);
    struct timer *next;
    uint32_t due, period; /* ticks; period 0: once */
    bool running;
};

#define TICKS_OF_MS(ms) ((uint32_t)(ms)*TICKS_PER_MS)

void timer_init(void);

/* All may be called on a running timer, which then starts anew. A period is at least one tick. timer_again() is as
 * timer_once(), but counts from when the timer was due last, however late that was, and timer_at() says when itself. */
void timer_once(struct timer *t, uint32_t ticks);
void timer_at(struct timer *t, uint32_t due);
void timer_again(struct timer *t, uint32_t ticks);
void timer_every(struct timer *t, uint32_t ticks);
void timer_stop(struct timer *t);

uint32_t timer_now(void);    /* ticks */
uint32_t timer_now_ms(void); /* milliseconds; overflows after 2^32 of them, not earlier */

/* For handlers: the time of a count that the hardware noted just now. It must have 16 bits, and COUNTER_STEP be less
 * than half a turn. */
uint32_t timer_time_of(counter_t count);

static inline bool timer_reached(uint32_t now, uint32_t due)
{
    return (int32_t)(now - due) >= 0;
}

/* The board's handler of the compare interrupt calls this. */
void timer_interrupt(void);

#endif
