/* Schedulers: a task runs because a function has posted it, not because of all that is in the scheduler's queue.
 *
 * Two kinds are known. Queues of objects that hold a function (the kit: task_post(&task), later task->run()); and
 * nesC's queue of numbers, each of which a switch turns into a call (postTask(3), later runTask(3)). Invariant: a call
 * by the scheduler is replaced only if every post of that task is known.
 */
#ifndef SLICE_SCHEDULER_H
#define SLICE_SCHEDULER_H

#include "slice/points.h"

struct post {
    int call, function; /* the instruction that posts, the task */
};

struct scheduler {
    struct post *posts;
    size_t count, room;
    bool *runs;  /* of each instruction: a call by the scheduler */
    bool *known; /* of each function: a task whose posts are known */
};

/* `post` is a further function that takes an object with the task's function; NULL: none. */
void scheduler_find(struct scheduler *s, struct points *points, const char *post);
void scheduler_free(struct scheduler *s);

/* Whether the call is the scheduler's, and posts stand for it. */
bool scheduler_replaces(const struct scheduler *s, int call, int function);

#endif
