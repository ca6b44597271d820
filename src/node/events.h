/* Events: what will happen by itself, and when; the earliest in constant time.
 *
 * Each event a device can have is a slot fixed when the machine is built. node_state.pending counts the events of each
 * clock, so that a clock without any changes its period for nothing. Few slots are pending at a time: node->agenda
 * names them, and the one due first. It is worked out from the slots, and lies outside the arena.
 *
 * In the arena a tournament stands over the slots: every inner entry names the slot that is due first below it, ties
 * going to the lower slot. Nothing runs by it. It is brought up to date where the arena is looked at as bytes
 * (events_settle). Invariant: then the table is a function of the pending due times alone (not of the order in which
 * they came), so equal futures are equal bytes.
 */
#ifndef NODE_EVENTS_H
#define NODE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "node/node.h"

struct event_slot {
    uint64_t when;  /* tick, NEVER if not pending or its clock is stopped */
    uint64_t cycle; /* of its clock, NEVER if not pending */
    uint64_t clock;
};

/* In the arena: `slots` event_slots, then 2 * slots bytes of tournament; entry 1 is the winner. */
size_t events_size(unsigned slots);
void events_init(struct node *n);

/* When the first of them is due (NEVER if nothing is pending). */
static inline uint64_t events_next(const struct node *n)
{
    return n->agenda.when;
}

/* Before anything copies, compares or hashes the arena; and after another arena has been copied into it. */
void events_settle(const struct node *n);
void events_restored(struct node *n);

/* Runs everything due at or before the tick, in order. */
void events_run_due(struct node *n, uint64_t tick);
static inline void events_run(struct node *n, uint64_t tick)
{
    if (events_next(n) <= tick)
        events_run_due(n, tick);
    n->time = tick;
}

/* A clock changed: works out anew when its events are due. */
void events_reclock(struct node *n, unsigned clock);

#endif
