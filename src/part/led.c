#include "part/led.h"

#include "node/machine.h"
#include "node/node.h"
#include "node/pins.h"

bool led_is_lit(const struct node *n, const struct device *d)
{
    const struct led *l = d->config;
    return pin_is_output(n, l->pin) && pin_level(n, l->pin) != l->active_low;
}

const struct device *led_on_pin(const struct node *n, unsigned pin)
{
    for (size_t i = 0; i < n->machine->device_count; i++) {
        const struct device *d = &n->machine->devices[i];
        if (d->type == &part_led && ((const struct led *)d->config)->pin == pin)
            return d;
    }
    return NULL;
}

/* To the positive rail it also is a path for current into a pin that is not driven, which then is high. (LEDs to
 * ground have a buffer on our boards, or are too weak to matter.) */
static void led_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct led *l = d->config;
    (void)cause;
    if (l->active_low)
        pin_drive(n, l->pin, PIN_PULLED_UP);
}

const struct device_type part_led = {.name = "led", .reset = led_reset};
