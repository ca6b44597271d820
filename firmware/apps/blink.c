/* Three timers, one for each LED: 250, 500 and 1000 ms. */
#include "leds.h"
#include "task.h"
#include "timer.h"

static void toggle(struct timer *t);
static struct timer timers[] = {{.fired = toggle}, {.fired = toggle}, {.fired = toggle}};

static void toggle(struct timer *t)
{
    leds_toggle(1 << (t - timers));
}

void app_start(void)
{
    timer_every(&timers[0], TICKS_OF_MS(250));
    timer_every(&timers[1], TICKS_OF_MS(500));
    timer_every(&timers[2], TICKS_OF_MS(1000));
}
