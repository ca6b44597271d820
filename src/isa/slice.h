/* Slices: how a core counts cycles and instructions between two looks at the world.
 *
 * Both share one variable, `left`: cycles left in the slice times 2^24, less the instructions executed. One subtraction
 * an instruction keeps both, and its sign ends the slice. Invariant: a slice is under 2^24 cycles long, so the count
 * never reaches into the cycles. It is in fact much shorter than that: with slices of 2^24 cycles `make bench ONLY=avr`
 * was a tenth to a third slower than with 2^15 (perhaps the host foresees the loop's jumps badly after an interrupt of
 * its own, until the loop has been left once), and leaving it so often costs nothing to speak of.
 */
#ifndef ISA_SLICE_H
#define ISA_SLICE_H

#include <stdint.h>

#include "node/events.h"
#include "node/node.h"
#include "node/taps.h"

enum { SLICE_COUNT_BITS = 24, SLICE_COUNT_MASK = (1 << SLICE_COUNT_BITS) - 1, SLICE_LONGEST = 1 << 15 };
#define SLICE_CYCLES(k) ((int64_t)(k) << SLICE_COUNT_BITS)

struct slice {
    uint64_t start_cycle; /* of the CPU's clock */
    uint64_t start_count; /* instructions */
    int64_t budget;       /* cycles */
    int64_t more;         /* cycles that follow when taps have been called (slice_resume) */
    int64_t past;         /* cycles that translated code may go past the end (node_run_past), as `left` counts */

    struct motet_tap *sampler; /* whom the pause is for, where it only counts and is alone; else NULL */
    int64_t period;            /* of its samples, as `left` counts */
};

/* Instructions executed so far. */
static inline int64_t slice_count(int64_t left)
{
    return -left & SLICE_COUNT_MASK;
}

/* Cycles gone by when the instruction under way began. */
static inline uint64_t slice_elapsed(const struct slice *s, int64_t left)
{
    return (uint64_t)(s->budget - ((left + slice_count(left)) >> SLICE_COUNT_BITS));
}

/* Cycles from the beginning of the slice to the first that begins at the tick or after it; no more than a slice has. */
static inline int64_t slice_cycles_to(const struct node *n, const struct slice *s, uint64_t tick)
{
    const struct clock *c = &n->state->clocks[CLOCK_CPU];
    uint64_t end = clock_cycle_at(c, tick);
    if (c->period != CLOCK_ONE && clock_tick_of(c, end) < tick)
        end++;
    uint64_t cycles = end - s->start_cycle;
    return (int64_t)(cycles < SLICE_LONGEST ? cycles : SLICE_LONGEST);
}

/* Where an alarm comes before the end, the slice pauses there; returns the new `left`. */
static inline int64_t slice_until_alarm(const struct node *n, struct slice *s, int64_t left)
{
    int64_t to = slice_cycles_to(n, s, n->alarm);
    if (to >= s->budget)
        return left;
    int64_t rest = s->budget - to;
    struct motet_tap *beat = n->taps->beat;
    s->more = rest;
    s->budget = to;
    if (beat && beat->counts && beat->period < SLICE_LONGEST && s->start_cycle + (uint64_t)to == beat->due) {
        s->sampler = beat;
        s->period = SLICE_CYCLES(beat->period);
    }
    return left - SLICE_CYCLES(rest);
}

/* What translated code may go past the end of a slice that is as long as the node is to run. */
static inline int64_t slice_past(const struct node *n)
{
    const struct clock *c = &n->state->clocks[CLOCK_CPU];
    if (!n->past || n->horizon != n->until || n->taps || !c->period)
        return 0;
    return SLICE_CYCLES(c->period == CLOCK_ONE ? n->past : (n->past << 32) / c->period);
}

/* The same at the moment: an event may have been scheduled since. */
static inline int64_t slice_past_now(const struct node *n, const struct slice *s)
{
    return s->past && events_next(n) >= n->until + n->past ? s->past : 0;
}

/* A slice from now to the node's horizon; returns `left`, not positive if there is no time. */
static inline int64_t slice_begin(const struct node *n, struct slice *s)
{
    const struct clock *c = &n->state->clocks[CLOCK_CPU];
    s->start_cycle = clock_cycle_at(c, n->state->now);
    s->start_count = n->state->instructions;
    s->more = 0;
    s->sampler = NULL;
    s->past = slice_past(n);
    s->budget = slice_cycles_to(n, s, n->horizon);
    int64_t left = SLICE_CYCLES(s->budget);
    return __builtin_expect(n->alarm < n->horizon, 0) ? slice_until_alarm(n, s, left) : left;
}

/* An observer that cannot change anything is about to look between two instructions. */
static inline void slice_show(struct node *n, const struct slice *s, int64_t left)
{
    if (!n->state->sleeping) /* else the CPU's clock stopped when the instruction ended */
        n->time = clock_tick_of(&n->state->clocks[CLOCK_CPU], s->start_cycle + slice_elapsed(s, left));
    n->state->instructions = s->start_count + (uint64_t)slice_count(left);
}

/* Something outside the CPU is about to look: the time is that of the instruction under way plus `offset` cycles. */
static inline void slice_look(struct node *n, const struct slice *s, int64_t left, unsigned offset)
{
    uint64_t cycle = s->start_cycle + slice_elapsed(s, left) + offset;
    n->time = clock_tick_of(&n->state->clocks[CLOCK_CPU], cycle);
    n->state->instructions = s->start_count + (uint64_t)slice_count(left);
    if (n->time >= n->horizon)
        events_run(n, n->time);
}

/* The slice is to end `after` cycles from the beginning of the instruction under way; returns the new `left`. */
static inline int64_t slice_shorten(struct slice *s, int64_t left, unsigned after)
{
    int64_t elapsed = (int64_t)slice_elapsed(s, left);
    s->more = s->past = 0;
    if (s->budget <= elapsed + after)
        return left;
    s->budget = elapsed + after;
    return SLICE_CYCLES(after) - slice_count(left);
}

/* Something outside the CPU has looked, and node->cut is set: the slice ends after the instruction under way, or where
 * the horizon is now; returns the new `left`. */
static inline int64_t slice_cut(struct node *n, struct slice *s, int64_t left)
{
    if (n->cut != NODE_SOONER || s->more)
        return slice_shorten(s, left, 0);
    int64_t to = slice_cycles_to(n, s, n->horizon);
    n->cut = false;
    if (to >= s->budget)
        return left;
    left -= SLICE_CYCLES(s->budget - to);
    s->budget = to;
    s->past = 0;
    return left;
}

/* Between two instructions, a probe is about to look; the rest is worked out if it asks. */
static inline void slice_glance(struct node *n, const struct slice *s, int64_t left)
{
    n->glance.slice = s;
    n->glance.left = left;
    n->state->instructions = s->start_count + (uint64_t)slice_count(left);
}

static inline uint64_t slice_glance_cycle(const struct node *n)
{
    return n->glance.slice->start_cycle + slice_elapsed(n->glance.slice, n->glance.left);
}

static inline void slice_show_glance(struct node *n)
{
    slice_show(n, n->glance.slice, n->glance.left);
    n->glance.slice = NULL;
}

/* The slice is to pause after the next instruction; returns the new `left`. */
static inline int64_t slice_pause(struct slice *s, int64_t left)
{
    int64_t elapsed = (int64_t)slice_elapsed(s, left);
    if (s->budget <= elapsed)
        return left;
    s->more += s->budget - elapsed;
    s->budget = elapsed;
    return -slice_count(left);
}

/* Whether a pause is for the alarm that comes every so many cycles, alone. */
static inline bool slice_beats(const struct node *n, const struct slice *s, int64_t left)
{
    return s->more && left <= 0 && !n->pausing && n->taps->beat;
}

/* The pause is over, and the next is where that alarm is due again; returns the new `left`. */
static inline int64_t slice_until_beat(const struct node *n, struct slice *s, int64_t left)
{
    uint64_t to = n->taps->beat->due - s->start_cycle;
    int64_t all = s->budget + s->more, end = to < (uint64_t)all ? (int64_t)to : all;
    left += SLICE_CYCLES(end - s->budget);
    s->more = all - end;
    s->budget = end;
    return left;
}

/* That pause, and what the core holds is in node->glance: calls the alarm. Returns `left`, positive if the slice goes
 * on. */
static inline int64_t slice_beat(struct node *n, struct slice *s, int64_t left)
{
    uint64_t cycle = s->start_cycle + slice_elapsed(s, left);
    if (cycle < n->taps->beat->due || !beat_ring(n, cycle))
        return left;
    n->alarm = clock_tick_of(&n->state->clocks[CLOCK_CPU], n->taps->beat->due);
    return slice_until_beat(n, s, left);
}

/* Whether a pause is for a sample, and the next one is due later in this slice. */
static inline bool slice_samples(const struct node *n, const struct slice *s, int64_t left)
{
    return s->sampler && SLICE_CYCLES(s->more) > s->period && left <= 0 && left + s->period > 0 && !n->pausing;
}

/* Takes it, in few instructions: no callback is called, and node->alarm, now past, is worked out anew when the slice
 * has ended. Returns the new `left`, positive. */
static inline int64_t slice_sample(struct slice *s, int64_t left, uint32_t pc)
{
    struct motet_tap *a = s->sampler;
    a->due += a->period;
    s->budget += (int64_t)a->period;
    s->more -= (int64_t)a->period;
    sample_count(a, pc);
    return left + s->period;
}

/* The end of a slice or a pause in it, everything in the arena: calls what waits for it. Returns `left`, positive if
 * the slice goes on (unless the node is cut or stopped). */
static inline int64_t slice_resume(struct node *n, struct slice *s, int64_t left)
{
    slice_show(n, s, left);
    taps_pause(n);
    int64_t more = s->more;
    s->more = 0;
    s->sampler = NULL;
    if (n->stopped_before)
        n->cut = true; /* else the loop would come to that instruction again and again */
    if (more <= 0 || n->cut || n->stopped)
        return left;
    s->budget += more;
    left += SLICE_CYCLES(more);
    return n->alarm < n->horizon ? slice_until_alarm(n, s, left) : left;
}

/* The slice has ended, everything is in the arena: whether instructions follow at once; then the next one has begun. */
static inline bool slice_again(struct node *n, struct slice *s, const void *code, int64_t *left)
{
    if (!node_goes_on(n))
        return false;
    *left = slice_begin(n, s);
    return *left > 0 && n->code == code; /* another one, where the node has programmed itself */
}

/* The slice has ended: time and count into the node. */
static inline void slice_end(struct node *n, const struct slice *s, int64_t left)
{
    n->state->instructions = s->start_count + (uint64_t)slice_count(left);
    if (n->state->sleeping) /* the CPU's clock stopped when the instruction ended */
        n->state->now = n->time;
    else
        n->state->now = clock_tick_of(&n->state->clocks[CLOCK_CPU], s->start_cycle + slice_elapsed(s, left));
}

#endif
