/* Slices: how a core counts cycles and instructions between two looks at the world.
 *
 * Both share one variable, `left`: cycles left in the slice times 2^24, less the instructions executed. One subtraction
 * an instruction keeps both, and its sign ends the slice. Invariant: a slice is under 2^24 cycles long, so the count
 * never reaches into the cycles.
 */
#ifndef ISA_SLICE_H
#define ISA_SLICE_H

#include <stdint.h>

#include "node/events.h"
#include "node/node.h"

enum { SLICE_COUNT_BITS = 24, SLICE_COUNT_MASK = (1 << SLICE_COUNT_BITS) - 1, SLICE_LONGEST = SLICE_COUNT_MASK };
#define SLICE_CYCLES(k) ((int64_t)(k) << SLICE_COUNT_BITS)

struct slice {
    uint64_t start_cycle; /* of the CPU's clock */
    uint64_t start_count; /* instructions */
    int64_t budget;       /* cycles */
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

/* A slice from now to the node's horizon; returns `left`, not positive if there is no time. */
static inline int64_t slice_begin(const struct node *n, struct slice *s)
{
    const struct clock *c = &n->state->clocks[CLOCK_CPU];
    s->start_cycle = clock_cycle_at(c, n->state->now);
    s->start_count = n->state->instructions;
    uint64_t end = clock_cycle_at(c, n->horizon);
    if (clock_tick_of(c, end) < n->horizon)
        end++;
    uint64_t budget = end - s->start_cycle;
    s->budget = (int64_t)(budget < SLICE_LONGEST ? budget : SLICE_LONGEST);
    return SLICE_CYCLES(s->budget);
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
    if (s->budget <= elapsed + after)
        return left;
    s->budget = elapsed + after;
    return SLICE_CYCLES(after) - slice_count(left);
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
