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
static uint32_t armed;       /* the compare register is set for it, */
static bool surely;          /* and nothing else can have caused the next interrupt */
enum { COUNTER_SAFE = 128 }; /* ticks: so long nothing takes between a reading and a write */
static bool firing;          /* the alarm is set when all that is due has fired */

static void fire(void);
static struct task fire_task = {.run = fire};

/* Interrupts off. */
static uint32_t advance(void)
{
    ticks += (counter_t)(board_counter() - (counter_t)ticks);
    return ticks;
}

/* Interrupts off. */
static void ring(void)
{
    if (alarm_set && timer_reached(ticks, alarm)) {
        alarm_set = false;
        task_post(&fire_task);
    }
}

/* Interrupts off: sets the compare register for the alarm, or earlier to keep the ticks. */
static void arm(void)
{
    armed = alarm_set && (int32_t)(alarm - ticks) < COUNTER_STEP ? alarm : ticks + COUNTER_STEP;
    board_compare((counter_t)armed);
}

/* Interrupts off: the same, and makes sure. A count that is over before it is set would come a whole turn later: what
 * is so near is waited for. */
static void arm_surely(void)
{
    surely = !COUNTER_LATE;
    for (;;) {
        arm();
        if ((int32_t)(armed - advance()) > COUNTER_MARGIN / 2)
            return;
        if (alarm_set && armed == alarm)
            break;
    }
    armed = ticks + COUNTER_STEP;
    board_compare((counter_t)armed);
    while (!timer_reached(ticks, alarm))
        advance();
    ring();
}

void timer_interrupt(void)
{
    if (!surely)
        advance();
    else if (timer_reached(armed, ticks))
        ticks = armed;
    ring();
    arm();
    surely = armed - ticks > COUNTER_SAFE;
    if (!surely)
        arm_surely();
}

uint32_t timer_now(void)
{
    cpu_state saved = atomic_begin();
    uint32_t now = advance();
    atomic_end(saved);
    return now;
}

/* The ticks are not older than COUNTER_STEP, and may be a little younger than the count. */
uint32_t timer_time_of(counter_t count)
{
    return ticks + (uint32_t)(int32_t)(int16_t)(count - (counter_t)ticks);
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
    alarm_set = first != NULL;
    if (first)
        alarm = first->due;
    arm_surely();
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

/* What was due when that was noticed; what has become due since is noticed by set_alarm(). */
static void fire(void)
{
    cpu_state saved = atomic_begin();
    uint32_t now = ticks;
    atomic_end(saved);
    firing = true;
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
    firing = false;
    if (now - origin > UINT32_MAX / 2)
        timer_now_ms(); /* the milliseconds must not miss a turn of the ticks */
    set_alarm();
}

static void start(struct timer *t, uint32_t due, uint32_t period)
{
    timer_stop(t);
    t->due = due;
    t->period = period;
    insert(t);
    if (first == t && !firing)
        set_alarm();
}

void timer_once(struct timer *t, uint32_t delay)
{
    start(t, timer_now() + delay, 0);
}

void timer_at(struct timer *t, uint32_t due)
{
    start(t, due, 0);
}

void timer_again(struct timer *t, uint32_t delay)
{
    start(t, t->due + delay, 0);
}

void timer_every(struct timer *t, uint32_t period)
{
    start(t, timer_now() + period, period);
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
    arm_surely();
}
