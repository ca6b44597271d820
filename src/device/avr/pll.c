#include "device/avr/pll.h"

#include "device/avr/power.h"
#include "node/machine.h"

enum { ROLE_CONTROL };
enum { EVENT_LOCKED, EVENTS };

static const double LOCK_SECONDS = 100e-6;
static const double INPUT_HZ = 8e6;

static void pll_wire(struct wiring *w, const struct device *d, struct bits b)
{
    if (b.width)
        wire_register(w, d, b.reg, ROLE_CONTROL, WIRE_STORE, bits_mask(b));
}

static void pll_connect(const struct device *d, struct wiring *w)
{
    const struct avr_pll *c = d->config;
    pll_wire(w, d, c->enable);
    pll_wire(w, d, c->timer_enable);
    pll_wire(w, d, c->low_speed);
    pll_wire(w, d, c->halve);
    pll_wire(w, d, c->factor);
    pll_wire(w, d, c->timer_divider);
    pll_wire(w, d, c->usb_divider);
    pll_wire(w, d, c->input);
}

/* PLLFRQ is 0x04 after a reset: 48 MHz ("PLL Frequency Control Register"). */
static void pll_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct avr_pll *c = d->config;
    (void)cause;
    bits_set(n, c->factor, 4);
    avr_power_clocks_changed(n);
}

double avr_pll_hz(const struct node *n, const struct avr_pll *c)
{
    static const double dividers[4] = {0, 1, 1.5, 2};
    bool chosen = c->timer_enable.width ? bits_get(n, c->timer_enable) : bits_get(n, c->timer_divider) != 0;
    if (!bits_get(n, c->enable) || !chosen)
        return 0;
    if (!c->factor.width)
        return bits_get(n, c->low_speed) ? 4 * INPUT_HZ : 8 * INPUT_HZ;
    double input = (double)n->machine->hz / (bits_get(n, c->halve) ? 2 : 1);
    return input * (2 + bits_get(n, c->factor)) / dividers[bits_get(n, c->timer_divider)];
}

static void pll_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct avr_pll *c = d->config;
    (void)role, (void)value, (void)old;
    if (!bits_get(n, c->enable)) {
        bits_set(n, c->locked, 0);
        event_cancel(n, d, EVENT_LOCKED);
    } else if (!bits_get(n, c->locked) && !event_pending(n, d, EVENT_LOCKED)) {
        event_in(n, d, EVENT_LOCKED, CLOCK_TICK, node_ticks(n, LOCK_SECONDS));
    }
    avr_power_clocks_changed(n);
}

static void pll_event(struct node *n, const struct device *d, unsigned event)
{
    const struct avr_pll *c = d->config;
    (void)event;
    bits_set(n, c->locked, 1);
}

const struct device_type avr_pll = {
    .name = "pll",
    .events = EVENTS,
    .connect = pll_connect,
    .reset = pll_reset,
    .event = pll_event,
    .write = pll_write,
};
