/* Trials: whether the log's next interrupt fits a place, and whether it would fit another one that comes soon.
 *
 * Invariant: the next steps are tried on another node, so that observers of the replayed node do not see them. A trial
 * stops where what follows is unknown.
 */
#ifndef RECORD_REPLAY_TRIAL_H
#define RECORD_REPLAY_TRIAL_H

#include "node/node.h"
#include "record/replay_places.h"

enum later { LATER_NEVER, LATER_MAYBE, LATER_FITS };

/* motet_count, from the last event on. */
static inline unsigned replay_count(const struct node *n, const struct replay *r)
{
    return ((n->data[r->count] | (unsigned)n->data[r->count + 1] << 8) - r->count_first) & 0xffff;
}

/* Address, count and stack pointer fit, and interrupts are let in. In code that counts there is no second such place
 * before the next event. */
bool trial_may_come(const struct node *n, const struct replay *r, const struct log_event *e);

/* The registers fit too, where the log has them. */
bool trial_is_moment(const struct node *n, const struct log_event *e);

/* Another node in the same state. */
struct node *trial_from(struct node *n);

/* Whether a place that fits comes again before anything else counts, and one where the registers fit too. `leaves`: not
 * in the loop that waits here. */
enum later trial_comes_later(struct node *n, const struct replay *r, const struct log_event *e, bool leaves);

/* Whether the registers fit again soon, with other memory: a routine that is called twice with the same arguments, and
 * nothing counted in between. */
bool trial_is_ambiguous(struct node *n, const struct replay *r, const struct log_event *e);

/* Has the loop go round once more, or end. */
void trial_set_poll(struct node *n, const struct poll *p, bool stay);

/* A trial at a loop that waits: whether the place is in its next round. Then it has left the loop, or is to. */
enum later trial_comes_in_round(struct node *trial, const struct replay *r, const struct place *p,
                                const struct log_event *e);

/* Whether going round the loop once comes by the interrupt's place. */
bool trial_comes_round_by(struct node *n, const struct replay *r, const struct place *p, const struct log_event *e);

#endif
