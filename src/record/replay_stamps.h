/* Cycle stamps (target/recorder/stamp.h): positions of interrupts as cycles executed since the last
 * exit from the recorder.
 *
 * Invariant: replay executes the application's own instructions in as many cycles as the node did, so that a stamp is
 * one boundary between two of them, or there is a difference to show. Only in a polling loop the number of rounds is
 * unknown. There, until the recorder is entered after the loop, the interrupt's address identifies the place.
 */
#ifndef RECORD_REPLAY_STAMPS_H
#define RECORD_REPLAY_STAMPS_H

#include "node/node.h"
#include "record/replay_places.h"

/* Cycles of a vector's stub after the recorder's return. */
enum { STAMP_STUB = 5 };

/* Where an interrupt came. */
struct stamp {
    uint32_t cycles;  /* 0: in motet_idle, while the recorder's worker was at work */
    uint32_t address; /* of its return, in bytes; 0: not recorded */
    unsigned count;   /* how often the recorder was left without an event before */
};

static inline struct stamp stamp_of(const struct log_event *e, unsigned address_unit)
{
    struct stamp s = {.count = e->count};
    if (e->where == LOG_INSIDE)
        return s;
    s.cycles = e->address | (e->where == LOG_IN_LIBRARY ? (e->hash & 1) << 16 : 0);
    s.address = (e->sp | (uint32_t)(e->vector & 0x80) << 9) * address_unit;
    return s;
}

static inline uint64_t stamp_now(const struct node *n)
{
    return clock_cycle_at(&n->state->clocks[CLOCK_CPU], n->state->now);
}

static inline uint64_t stamp_elapsed(const struct node *n, const struct replay_state *s)
{
    return stamp_now(n) - s->left;
}

/* From halfway round on the timer's own interrupt waits until interrupts are let in: however often the timer has come
 * round by then, the place is the first where they are. */
enum { STAMP_ROUND = 0x10000, STAMP_HALFWAY = 0x7f00 };
static inline bool stamp_may_be_round(const struct stamp *t)
{
    return t->cycles >= STAMP_HALFWAY;
}

/* Where it did not come: in which cycle the timer has that value again. The instruction under way may not be counted
 * yet.
 */
static inline uint64_t stamp_next_round(const struct node *n, const struct replay_state *s, const struct stamp *t)
{
    uint64_t rounds = (stamp_elapsed(n, s) + STAMP_ROUND / 2 - t->cycles) / STAMP_ROUND;
    return s->left + t->cycles + (rounds + 1) * STAMP_ROUND;
}

enum stamp_comes { STAMP_LATER, STAMP_HERE, STAMP_MISSED };

/* Whether the interrupt comes where the node is now, at the place `p` or none. */
enum stamp_comes stamp_comes(const struct node *n, const struct replay_state *s, const struct stamp *t,
                             const struct place *p);

#endif
