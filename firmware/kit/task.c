#include "task.h"

#include <stddef.h>

#include "board.h"
#include "timer.h"

static struct task *first, *last;

bool task_post(struct task *t)
{
#ifndef BUG_TASK_POST
    cpu_state saved = atomic_begin();
#endif
    bool posted = !t->pending;
    if (posted) {
        t->pending = true;
        t->next = NULL;
        if (first)
            last->next = t;
        else
            first = t;
        last = t;
    }
#ifndef BUG_TASK_POST
    atomic_end(saved);
#endif
    return posted;
}

/* The next task, or NULL after having slept. Between the look at the queue and falling asleep interrupts are off:
 * board_sleep() enables them in the same breath, so that a handler that posts either is seen here or ends the sleep. */
static struct task *take_or_sleep(void)
{
    cpu_state saved = atomic_begin();
    struct task *t = first;
    if (t) {
        first = t->next;
        t->pending = false;
    } else {
        board_sleep();
    }
    atomic_end(saved);
    return t;
}

int main(void)
{
    board_start();
    timer_init();
    app_start();
    cpu_interrupts_on();
    for (;;) {
        struct task *t = take_or_sleep();
        if (t)
            t->run();
    }
}
