/* Timelines: a life that can be gone through forward and backward.
 *
 * Going forward, snapshots are taken; going back is restoring the one before and running forward again. They lie
 * closest around the present position and thin out with the distance from it, so that they fit into a budget of memory.
 * Backward searches go from snapshot to snapshot: run each stretch forward, remember the last hit, go there.
 *
 * Invariant: every position is reached with the same state (the same digest) however it is reached. What is done to
 * the subject from outside goes through timeline_give, which records it at its position, and is given again there. An
 * input given in the past makes another future: what was known of the old one is forgotten.
 */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include "node/stops.h"
#include "timeline/subject.h"

struct timeline;

#define TIMELINE_MEMORY ((size_t)256 << 20)
#define TIMELINE_NEVER  UINT64_MAX

enum timeline_stop {
    TIMELINE_REACHED,     /* what was asked for */
    TIMELINE_STOP,        /* an address stop */
    TIMELINE_WATCH,       /* a watch: behind the instruction going forward, before it going backward */
    TIMELINE_BEGIN,       /* the beginning of history */
    TIMELINE_END,         /* the subject has ended */
    TIMELINE_INTERRUPTED, /* by the function given to timeline_new */
};

struct timeline_event {
    enum timeline_stop why;
    uint16_t address; /* watched, and touched */
    uint8_t kind;     /* enum watch_kind */
};

/* Takes the subject where it is, as the beginning of history. `interrupted` (may be NULL) is asked now and then while
 * something long is under way. */
struct timeline *timeline_new(struct subject s, size_t memory, bool (*interrupted)(void *context), void *context);
void timeline_free(struct timeline *t);

struct position timeline_position(const struct timeline *t);
uint64_t timeline_now(const struct timeline *t);
struct digest timeline_digest(const struct timeline *t);
bool timeline_same(struct position a, struct position b);
bool timeline_before(struct position a, struct position b);

struct timeline_event timeline_step(struct timeline *t); /* one instruction, or the rest of a wait */
struct timeline_event timeline_run_until(struct timeline *t, uint64_t tick); /* or a stop */
struct timeline_event timeline_seek(struct timeline *t, uint64_t tick);      /* forward or backward, past all stops */
struct timeline_event timeline_go(struct timeline *t, struct position to);   /* where it has been */

struct timeline_event timeline_step_back(struct timeline *t);
struct timeline_event timeline_run_back(struct timeline *t); /* to the last stop or watch before */

/* Does something to the subject, here. False if it has ended. */
bool timeline_give(struct timeline *t, enum input_kind kind, uint32_t where, uint32_t value, const void *bytes,
                   size_t size);

/* How much is kept. */
size_t timeline_snapshots(const struct timeline *t);
size_t timeline_memory(const struct timeline *t);

#endif
