/* Timelines: a life that can be gone through forward and backward.
 *
 * Going forward, snapshots are taken; going back is restoring the one before and running forward again. They lie
 * closest around the present position and thin out with the distance from it, so that they fit into a budget of memory;
 * of those that do not, some go to a temporary file. While all nodes sleep the last one moves along: the next thing to
 * happen is never far from a snapshot before it, and nights need none.
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
    TIMELINE_WATCH,       /* a watch: after the instruction going forward, before it going backward */
    TIMELINE_BEGIN,       /* the beginning of history */
    TIMELINE_END,         /* the subject has ended */
    TIMELINE_INTERRUPTED, /* by the function given to timeline_new */
    TIMELINE_EXIT,        /* a node of it has ended, the others go on */
    TIMELINE_LIMIT,       /* of a step: its time is over, and the instruction is not done */
};

struct timeline_event {
    enum timeline_stop why;
    uint32_t node;    /* where */
    uint32_t address; /* watched, and touched */
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

/* One instruction of a node, or the rest of its wait, while the others keep up with it; not beyond a tick.
 * TIMELINE_END: it has ended. */
struct timeline_event timeline_step(struct timeline *t, uint32_t node, uint64_t until);
struct timeline_event timeline_run_until(struct timeline *t, uint64_t tick); /* or a stop */
struct timeline_event timeline_seek(struct timeline *t, uint64_t tick);      /* forward or backward, past all stops */
struct timeline_event timeline_go(struct timeline *t, struct position to);   /* where it has been */

/* Executes again all that lies between here and the last snapshot at or before a tick, past all stops, and ends here.
 * Returns where that snapshot is. When interrupted it is here at once, and returns TIMELINE_NEVER. */
uint64_t timeline_again(struct timeline *t, uint64_t tick);

/* Learns of every stretch that is executed, for the first time or again, by all nodes: where it begins, before it is
 * executed, and where it has ended. */
struct timeline_witness {
    void *context;
    void (*begins)(void *context, uint64_t tick);
    void (*ended)(void *context, uint64_t tick);
};
void timeline_witness(struct timeline *t, struct timeline_witness w);

/* The stop at the next instruction is met by the next run, though it was met already. */
void timeline_heed(struct timeline *t);

struct timeline_event timeline_step_back(struct timeline *t, uint32_t node);
struct timeline_event timeline_run_back(struct timeline *t); /* to the last stop or watch before */

/* Does something to a node, here. False if it has ended, or has no power. */
bool timeline_give(struct timeline *t, uint32_t node, enum input_kind kind, uint32_t where, uint32_t value,
                   const void *bytes, size_t size);

/* An actor changes the subject as a whole at times it chooses (a scenario). `next` returns the next time,
 * TIMELINE_NEVER for no more; `act` acts. The effect is kept as the state after it and is not requested again. If an
 * input in the past makes another future, later effects are discarded. */
struct timeline_actor {
    void *context;
    uint64_t (*next)(void *context);
    void (*act)(void *context);
};
void timeline_actor(struct timeline *t, struct timeline_actor a);

/* Address stops count only where `counts`, asked when one is met, says so. */
void timeline_filter(struct timeline *t, bool (*counts)(void *context, uint32_t node), void *context);

/* The inputs so far, for callers that keep them; valid until the next is given. */
const struct input *timeline_inputs(const struct timeline *t, size_t *count);

/* How many ticks were run through so far, for the first time or again, and how many instructions nodes did in them:
 * what going somewhere cost. Asleep, ticks cost next to nothing. */
uint64_t timeline_run(const struct timeline *t);
uint64_t timeline_work(const struct timeline *t);

/* A snapshot that another module keeps, of a position not reached yet. `recall` returns it, for the timeline to
 * release, or NULL. */
void timeline_adopt(struct timeline *t, struct position at, void *(*recall)(void *context, size_t key), void *context,
                    size_t key);

/* How much is kept; what there is no room for in memory is on disk. */
uint64_t timeline_spilled(const struct timeline *t); /* bytes */
size_t timeline_snapshots(const struct timeline *t);
size_t timeline_memory(const struct timeline *t);

#endif
