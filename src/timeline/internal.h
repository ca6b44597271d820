/* What the files of a timeline share: the timeline itself, and its snapshots.
 *
 * Invariant: snapshots are in the order of their positions, and the first, which is the beginning of history, is always
 * in memory.
 */
#ifndef TIMELINE_INTERNAL_H
#define TIMELINE_INTERNAL_H

#include "timeline/spill.h"
#include "timeline/timeline.h"

#define NOT_KNOWN UINT64_MAX

struct timeline_snapshot {
    struct position at;
    void *state; /* NULL: it is not in memory */
    size_t cost;
    uint64_t work;  /* instructions of all nodes until then; of a snapshot that another module keeps, NOT_KNOWN */
    uint64_t *done; /* of a state that is not: instructions, by node; NULL: not known yet */
    struct spilled spilled;
    void *(*recall)(void *context, size_t key); /* another module keeps it; NULL: it is on disk */
    void *context;
    size_t key;
};

struct timeline {
    struct subject s;
    size_t budget, used;
    bool (*interrupted)(void *context);
    void *context;
    uint64_t spacing; /* ticks */
    struct timeline_snapshot *snapshots;
    size_t snapshot_count, snapshot_room;
    struct spill *spill; /* or NULL */
    struct input *inputs;
    size_t input_count, input_room;
    size_t given;  /* inputs, on the way to here */
    uint64_t run;  /* ticks */
    uint64_t work; /* instructions */
    struct timeline_actor actor;
    struct timeline_witness witness;
    bool (*counts)(void *context, uint32_t node);
    void *counts_context;
};

int timeline_compare(struct position a, struct position b);
uint64_t timeline_done(const struct timeline *t); /* instructions of all nodes until here */

/* ---- snapshots.c ---- */
size_t snapshots_until(const struct timeline *t, struct position p); /* how many lie at or before the position */
void snapshots_take(struct timeline *t);                             /* a snapshot here */
void snapshots_drop(struct timeline *t, size_t i);
void snapshots_restore(struct timeline *t, size_t i);                    /* or, if it cannot be had, one before it */
uint64_t snapshots_done_at(struct timeline *t, size_t i, uint32_t node); /* instructions of a node */

#endif
