#include "part/button.h"

#include "node/node.h"
#include "node/pins.h"

struct state {
    bool pressed;
};

bool button_is_pressed(const struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    return s->pressed;
}

void button_press(struct node *n, const struct device *d, bool pressed)
{
    const struct button *b = d->config;
    struct state *s = device_state(n, d);
    s->pressed = pressed;
    if (pressed)
        pin_drive(n, b->pin, b->active_high ? PIN_HIGH : PIN_LOW);
    else if (b->resistor)
        pin_drive(n, b->pin, b->active_high ? PIN_PULLED_DOWN : PIN_PULLED_UP);
    else
        pin_drive(n, b->pin, PIN_FLOATING);
}

static void button_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    button_press(n, d, false);
}

const struct device_type part_button = {.name = "button", .state_size = sizeof(struct state), .reset = button_reset};
