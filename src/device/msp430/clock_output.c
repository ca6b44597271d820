#include "device/msp430/clock_output.h"

#include "device/msp430/port.h"

enum { EVENT_RISES, EVENT_FALLS, EVENTS };

static void clock_output_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_clock_output *c = d->config;
    for (unsigned i = 0; i < 2; i++)
        if (c->pins[i].pin != PIN_NONE) {
            wire_register(w, d, c->pins[i].sel, 0, WIRE_WRITE, 0);
            wire_register(w, d, c->pins[i].dir, 0, WIRE_WRITE, 0);
        }
}

static bool shows(const struct node *n, const struct msp430_clock_pin *p)
{
    return p->pin != PIN_NONE && (n->data[p->sel] & n->data[p->dir]) >> p->pin % 8 & 1;
}

static void put_out(struct node *n, const struct device *d, bool level)
{
    const struct msp430_clock_output *c = d->config;
    for (unsigned i = 0; i < 2; i++)
        msp430_port_output(n, c->pins[i].pin, level ? PIN_VALUE_HIGH : PIN_VALUE_LOW);
}

static void clock_output_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct msp430_clock_output *c = d->config;
    (void)role, (void)value, (void)old;
    if (!shows(n, &c->pins[0]) && !shows(n, &c->pins[1])) {
        event_cancel(n, d, EVENT_RISES);
        event_cancel(n, d, EVENT_FALLS);
    } else if (!event_pending(n, d, EVENT_RISES)) {
        put_out(n, d, false);
        event_in(n, d, EVENT_RISES, c->clock, 1);
    }
}

static void clock_output_event(struct node *n, const struct device *d, unsigned event)
{
    const struct msp430_clock_output *c = d->config;
    put_out(n, d, event == EVENT_RISES);
    if (event == EVENT_RISES) {
        event_in(n, d, EVENT_RISES, c->clock, 1);
        event_in(n, d, EVENT_FALLS, CLOCK_TICK, n->state->clocks[c->clock].period >> 33);
    }
}

const struct device_type msp430_clock_output = {
    .name = "clock output",
    .events = EVENTS,
    .connect = clock_output_connect,
    .event = clock_output_event,
    .write = clock_output_write,
};
