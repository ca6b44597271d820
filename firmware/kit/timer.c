/* The hardware counter has 8 or 16 bits. The ticks are extended from it at each reading, which is right if less than
 * one turn lies between two readings: so the compare interrupt comes at least every COUNTER_STEP, less than a turn. No
 * overflow interrupt is needed, nor the usual test of its flag, which comes late on asynchronous counters. */
#include "timer.h"

#include <stddef.h>

#include "task.h"

static uint32_t ticks, past_ms; /* past_ms: milliseconds before origin */
static uint32_t origin;
static struct timer *first; /* of those that run, by time */
static uint32_t alarm;      /* when the next of them is due, if alarm_set */
static bool alarm_set;

static void fire(void);
static struct task fire_task = {.run = fire};

/* Interrupts off. */
static uint32_t advance(void)
{
    ticks += (counter_t)(board_counter() - (counter_t)ticks);
    return ticks;
}

/* Interrupts off: sets the compare register for the alarm, or earlier to keep the ticks. If the counter has passed a
 * near one before it was set, which would be noticed a turn later, it is set once more, farther ahead. */
static void arm(uint32_t now)
{
    for (uint8_t margin = COUNTER_MARGIN;; margin *= 2) {
        uint32_t ahead = COUNTER_STEP, then = now;
        if (alarm_set && (int32_t)(alarm - now) < (int32_t)ahead)
            ahead = (int32_t)(alarm - now) < margin ? margin : alarm - now;
        board_compare((counter_t)(now + ahead));
        if (ahead >= 8 * COUNTER_MARGIN || (now = advance()) - then < ahead)
            return;
    }
}

void timer_interrupt(void)
{
    uint32_t now = advance();
    if (alarm_set && timer_reached(now, alarm)) {
        alarm_set = false;
        task_post(&fire_task);
    }
    arm(now);
}

uint32_t timer_now(void)
{
    cpu_state saved = atomic_begin();
    uint32_t now = advance();
    atomic_end(saved);
    return now;
}

/* Ticks overflow long before milliseconds do: what has passed is put away in whole milliseconds. */
uint32_t timer_now_ms(void)
{
    cpu_state saved = atomic_begin();
    uint32_t whole = (advance() - origin) / TICKS_PER_MS;
    past_ms += whole;
    origin += whole * TICKS_PER_MS;
    uint32_t now = past_ms;
    atomic_end(saved);
    return now;
}

static void set_alarm(void)
{
    cpu_state saved = atomic_begin();
    uint32_t now = advance();
    alarm_set = first != NULL;
    if (first) {
        alarm = first->due;
        if (timer_reached(now, alarm)) {
            alarm_set = false;
            task_post(&fire_task);
        }
    }
    arm(now);
    atomic_end(saved);
}

static void insert(struct timer *t)
{
    struct timer **at = &first;
    while (*at && timer_reached(t->due, (*at)->due))
        at = &(*at)->next;
    t->next = *at;
    *at = t;
    t->running = true;
}

static void fire(void)
{
    uint32_t now = timer_now();
    while (first && timer_reached(now, first->due)) {
        struct timer *t = first;
        first = t->next;
        t->running = false;
        if (t->period) {
            t->due += t->period;
            insert(t);
        }
        t->fired(t);
    }
    timer_now_ms(); /* so that the milliseconds never miss a turn of the ticks */
    set_alarm();
}

static void start(struct timer *t, uint32_t delay, uint32_t period)
{
    timer_stop(t);
    t->due = timer_now() + delay;
    t->period = period;
    insert(t);
    if (first == t)
        set_alarm();
}

void timer_once(struct timer *t, uint32_t delay)
{
    start(t, delay, 0);
}

void timer_every(struct timer *t, uint32_t period)
{
    start(t, period, period);
}

void timer_stop(struct timer *t)
{
    if (!t->running)
        return;
    struct timer **at = &first;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    t->running = false;
}

void timer_init(void)
{
    board_counter_start();
    arm(advance());
}
