/* The device that executes a log, in three files: replay.c takes one event after the other, replay_interrupts.c finds
 * where each interrupt came, and replay_entries.c answers calls of the recorder and leaves polling loops.
 *
 * Invariant: `decoder.next` is the event that comes next, and all before it have happened on this node.
 */
#ifndef RECORD_REPLAY_DEVICE_H
#define RECORD_REPLAY_DEVICE_H

#include "node/device.h"
#include "record/replay.h"
#include "record/replay_places.h"
#include "record/replay_stamps.h"

enum {
    REPLAY_EVENT_SILENCE,
    REPLAY_EVENT_RESUME,
    REPLAY_EVENT_STAMP,
    REPLAY_EVENT_HOLD,
    REPLAY_EVENTS,
};

static inline const struct replay *replay_config_of(const struct device *d)
{
    return (const struct replay *)d->config;
}

static inline struct replay_state *replay_own_state(struct node *n, const struct device *d)
{
    return (struct replay_state *)device_state(n, d);
}

/* The part that is executed now. */
const struct log_part *replay_part_of(const struct replay *r, const struct replay_state *s);

void replay_tell(struct node *n, const struct device *d, const struct replay_heard *h);
void replay_set_count(struct node *n, const struct replay *r, unsigned count);

/* An event has been taken: what comes next. */
void replay_go_on(struct node *n, const struct device *d);

/* ---- ends; replay_differ() and replay_other_event() return true ---- */
void replay_end_because(struct node *n, struct replay_state *s, enum replay_end why);
void replay_end_of_log(struct node *n, struct replay_state *s);
void replay_end_with_notice(struct node *n, const struct device *d, enum replay_end why);
bool replay_differ(struct node *n, struct replay_state *s, enum replay_difference what);

/* Execution is at an entry that asks for another event than the next. */
bool replay_other_event(struct node *n, struct replay_state *s, enum entry asked, unsigned site);

/* ---- replay_interrupts.c: routines that are recorded as a whole ---- */
void replay_enter_routine(struct node *n, struct replay_state *s);
void replay_return_to_routine(struct node *n, struct replay_state *s);
void replay_pass_counts(struct node *n, const struct device *d, const struct routine *of);

/* ---- replay_interrupts.c ---- */

/* Whether the next interrupt came here; `p`: the place that the CPU is at, or NULL. */
bool replay_comes_here(struct node *n, const struct device *d, const struct place *p);
bool replay_raise(struct node *n, const struct device *d, const struct place *inside);

/* Handlers of interrupts in the recorder may have ended. */
void replay_leave_inside(struct node *n, const struct device *d);

/* As motet_forget of target/recorder does. */
void replay_forget_flags(struct node *n, const struct device *d);

/* Cycle stamps: the next interrupt's, when to look for it, and what is due then. */
bool replay_stamp_next(const struct node *n, const struct device *d, struct stamp *t);
void replay_set_stamp(struct node *n, const struct device *d);
void replay_leave_stamp(struct node *n, const struct device *d, unsigned ago);
bool replay_comes_at_once(const struct node *n, const struct device *d);
void replay_stamp_due(struct node *n, const struct device *d);

/* ---- replay_entries.c ---- */

/* Executes a call of the recorder by the log. True if an event was taken. */
bool replay_answer(struct node *n, const struct device *d, const struct place *p);

/* A polling loop is left at once, unless the next interrupt came in it. */
void replay_poll(struct node *n, const struct device *d, const struct place *p);
void replay_put_polled(struct node *n, const struct poll *p);

#endif
