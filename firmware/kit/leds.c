#include "leds.h"

#include "board.h"

static uint8_t lit;

void leds_toggle(uint8_t which)
{
    cpu_state saved = atomic_begin();
    lit ^= which;
    for (uint8_t led = 0; led < LED_COUNT; led++)
        if (which >> led & 1)
            board_led(led, lit >> led & 1);
    atomic_end(saved);
}

void leds_set(uint8_t on)
{
    cpu_state saved = atomic_begin();
    leds_toggle(on ^ lit);
    atomic_end(saved);
}
