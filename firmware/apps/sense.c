/* Shows the three highest bits of the light sensor on the LEDs, every 100 ms. */
#include "adc.h"
#include "board.h"
#include "leds.h"
#include "task.h"
#include "timer.h"

static void show(struct adc_request *r, uint16_t value)
{
    (void)r;
    leds_set(value >> (SENSOR_BITS - 3));
}

static struct adc_request light = {.done = show, .channel = SENSOR_LIGHT};

static void sample(struct timer *t)
{
    (void)t;
    adc_read(&light);
}

static struct timer timer = {.fired = sample};

void app_start(void)
{
    timer_every(&timer, TICKS_OF_MS(100));
}
