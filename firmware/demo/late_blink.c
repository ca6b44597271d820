/* Two LEDs, toggled every 250 ms and every second; and the bug of a demonstration (scripts/levels): every eighth second
 * a task works for so long that the first LED is late. It writes nothing that the LEDs read. */
#include "leds.h"
#include "task.h"
#include "timer.h"

#define EVERY 8

static uint8_t turns;

static void work(void)
{
    for (volatile uint32_t i = 0; i < 200000; i++)
        ;
}

static struct task work_task = {.run = work};

static void fast(struct timer *t)
{
    (void)t;
    leds_toggle(LED_0);
}

static void slow(struct timer *t)
{
    (void)t;
    leds_toggle(LED_1);
    if (++turns % EVERY == 0)
        task_post(&work_task);
}

static struct timer fast_timer = {.fired = fast}, slow_timer = {.fired = slow};

void app_start(void)
{
    timer_every(&fast_timer, TICKS_OF_MS(250));
    timer_every(&slow_timer, TICKS_OF_MS(1000));
}
