/* One value for all: node 0 changes it every 30 s, the LEDs show its low bits. */
#include "board.h"
#include "disseminate.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

uint32_t current; /* for observers */

static void show(uint32_t value)
{
    current = value;
    leds_set(value & 7);
}

static void change(struct timer *t)
{
    (void)t;
    show(current + 1);
    disseminate_change(current);
}

static struct timer timer = {.fired = change};

void app_start(void)
{
    radio_start();
    disseminate_start(show);
    if (node_id == 0)
        timer_every(&timer, TICKS_OF_MS(30UL * MS_PER_SECOND));
}
