/* Many values for all: every 30 s an author (node 0, and nodes that a simulator selects) changes some, spread over the
 * items; LED 0 toggles with each value that comes. This is the application dip with one protocol and dhv with the
 * other.
 */
#include "board.h"
#include "items.h"
#include "leds.h"
#include "radio.h"
#include "task.h"
#include "timer.h"

#define CHANGES 5

bool author;
static uint16_t value;

static void changed(uint8_t key, uint16_t new_value)
{
    (void)key;
    (void)new_value;
    leds_toggle(LED_0);
}

static void change(struct timer *t)
{
    (void)t;
    for (uint8_t i = 0; i < CHANGES; i++) {
        value++;
        items_change(value * 11 % ITEMS, value);
    }
}

static struct timer timer = {.fired = change};

void app_start(void)
{
    radio_start();
    items_start(changed);
    if (author || node_id == 0)
        timer_every(&timer, TICKS_OF_MS(30UL * MS_PER_SECOND));
}
