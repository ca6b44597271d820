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

const struct device_type part_led = {.name = "led"};
