/* Tasks: functions that run one after the other, each to its end, in the order in which they were posted.
 *
 * Invariant: a task is in the queue at most once, however often it is posted. Tasks never preempt each other; only
 * interrupt handlers preempt tasks. So data that tasks alone use needs no protection, and what handlers share with
 * tasks is used between atomic_begin() and atomic_end().
 */
#ifndef KIT_TASK_H
#define KIT_TASK_H

#include <stdbool.h>

#include "cpu.h"

struct task {
    void (*run)(void);
    struct task *next;
    bool pending;
};

/* Puts the task at the end of the queue; false if it was there already. From tasks and interrupt handlers. */
bool task_post(struct task *t);

/* What an application defines: called once with the board ready and interrupts off. */
void app_start(void);

#endif
