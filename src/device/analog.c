#include "device/analog.h"

#include "node/machine.h"
#include "node/pins.h"

int32_t analog_supply(const struct node *n)
{
    return (int32_t)n->machine->millivolts * 1000;
}

static int32_t from_user(const struct node *n, unsigned line)
{
    return n->analog ? n->analog(n->analog_context, line, node_now(n)) : INT32_MIN;
}

bool analog_has_source(const struct node *n, unsigned line)
{
    return n->machine->analog[line].device || from_user(n, line) != INT32_MIN;
}

int32_t analog_voltage(struct node *n, unsigned line, unsigned pin)
{
    int32_t digital = pin_level(n, pin) ? analog_supply(n) : 0;
    if (pin != PIN_NONE && pin_is_output(n, pin))
        return digital;
    return analog_has_source(n, line) ? analog_read(n, line) : digital;
}
