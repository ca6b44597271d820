#include "node/pins.h"

#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"

static struct pin_state *pin_of(const struct node *n, unsigned pin)
{
    return (struct pin_state *)(n->arena + n->machine->pins_offset) + pin;
}

bool pin_level(const struct node *n, unsigned pin)
{
    return pin != PIN_NONE && pin_of(n, pin)->level;
}

bool pin_is_output(const struct node *n, unsigned pin)
{
    const struct pin_state *p = pin_of(n, pin);
    switch (p->override) {
    case PIN_OUTPUT_LOW:
    case PIN_OUTPUT_HIGH: return true;
    case PIN_INPUT: return false;
    default: return p->output;
    }
}

static bool node_pins_output_value(const struct pin_state *p)
{
    if (p->override == PIN_NO_OVERRIDE && p->compare == PIN_NO_OVERRIDE)
        return p->value;
    return p->override == PIN_VALUE_HIGH || p->override == PIN_OUTPUT_HIGH || p->compare == PIN_VALUE_HIGH;
}

static bool resolve(const struct node *n, unsigned pin)
{
    const struct pin_state *p = pin_of(n, pin);
    if (pin_is_output(n, pin))
        return node_pins_output_value(p);
    switch ((enum pin_drive)p->outside) {
    case PIN_LOW: return false;
    case PIN_HIGH: return true;
    case PIN_PULLED_UP: return true;
    case PIN_PULLED_DOWN: return false; /* an outside resistor is far stronger than the chip's 20-50 kOhm */
    case PIN_FLOATING: return p->pull_up;
    }
    return false;
}

static void node_pins_settle(struct node *n, unsigned pin)
{
    struct pin_state *p = pin_of(n, pin);
    bool level = resolve(n, pin);
    if (level == p->level)
        return;
    p->level = level;
    struct wire_run run = n->machine->pins[pin];
    for (unsigned i = 0; i < run.count; i++) {
        const struct wire *w = machine_wires(n->machine, run) + i;
        w->device->type->input(n, w->device, w->role, level);
    }
    if (taps_wanted(n, MOTET_ON(PIN)))
        taps_pin(n, pin, level);
}

void pin_set_port(struct node *n, unsigned pin, bool output, bool value, bool pull_up)
{
    struct pin_state *p = pin_of(n, pin);
    if (p->output == output && p->value == value && p->pull_up == pull_up)
        return;
    p->output = output;
    p->value = value;
    p->pull_up = pull_up;
    node_pins_settle(n, pin);
}

void pin_set_override(struct node *n, unsigned pin, enum pin_override how)
{
    if (pin == PIN_NONE || pin_of(n, pin)->override == how)
        return;
    pin_of(n, pin)->override = (uint8_t)how;
    node_pins_settle(n, pin);
}

void pin_set_compare(struct node *n, unsigned pin, enum pin_override how)
{
    if (pin == PIN_NONE || pin_of(n, pin)->compare == how)
        return;
    pin_of(n, pin)->compare = (uint8_t)how;
    node_pins_settle(n, pin);
}

void pin_drive(struct node *n, unsigned pin, enum pin_drive drive)
{
    if (pin == PIN_NONE || pin_of(n, pin)->outside == drive)
        return;
    pin_of(n, pin)->outside = drive;
    node_pins_settle(n, pin);
}
