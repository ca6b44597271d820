#include "device/msp430/comparator_a.h"

#include "device/msp430/port.h"

/* CACTL1, CACTL2 */
enum { CAIFG = 1, CAIE = 2, CAIES = 4, CAON = 8, CAREF = 4, CARSEL = 0x40, CAEX = 0x80 };
enum { CAOUT = 1, CAF = 2, P2CA0 = 4, P2CA1 = 8 };
enum { ROLE_CONTROL, ROLE_INPUTS, ROLE_CA0, ROLE_CA1 };
enum { EVENT_OUTPUT, EVENT_LOOK, EVENTS };

/* SLAS368G, page 31, typical at 3 V. The diode's voltage at 25 C is given in a figure only. */
static const double response_seconds = 150e-9, filter_seconds = 1.5e-6, look_seconds = 10e-6;
static const int32_t diode_microvolts = 550000;

struct state {
    bool higher; /* what CAOUT shows after the response time */
};

static void comparator_a_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_comparator_a *c = d->config;
    wire_register(w, d, c->cactl1, ROLE_CONTROL, WIRE_STORE, 0xff);
    wire_register(w, d, c->cactl2, ROLE_INPUTS, WIRE_STORE | WIRE_READ, 0xfe);
    wire_register(w, d, c->capd, 0, WIRE_PLAIN, 0xff);
    wire_pin(w, d, c->ca0, ROLE_CA0);
    wire_pin(w, d, c->ca1, ROLE_CA1);
    wire_interrupt(w, d, c->line, 0);
}

/* ---- inputs ---- */

static int32_t internal(const struct node *n, unsigned cactl1)
{
    switch (cactl1 >> CAREF & 3) {
    case 1: return (int32_t)(analog_supply(n) * INT64_C(24) / 100); /* SLAS368G, page 31, typical */
    case 2: return (int32_t)(analog_supply(n) * INT64_C(48) / 100);
    case 3: return diode_microvolts;
    default: return INT32_MIN;
    }
}

/* The internal reference goes to one terminal, chosen by CARSEL as they are after CAEX; the other has its pin, or
 * nothing (16.2.2). */
static int32_t terminal(struct node *n, const struct msp430_comparator_a *c, bool positive)
{
    unsigned cactl1 = n->data[c->cactl1], cactl2 = n->data[c->cactl2];
    bool connected = cactl2 & (positive ? P2CA0 : P2CA1),
         referred = !(cactl1 & CARSEL) == (positive != !!(cactl1 & CAEX));
    int32_t reference = internal(n, cactl1);
    if (referred && reference != INT32_MIN)
        return reference;
    if (!connected)
        return 0;
    return positive ? analog_voltage(n, MSP430_LINE_CA0, c->ca0) : analog_voltage(n, MSP430_LINE_CA1, c->ca1);
}

static bool comparator_a_compare(struct node *n, const struct msp430_comparator_a *c)
{
    if (!(n->data[c->cactl1] & CAON))
        return false;
    return terminal(n, c, true) > terminal(n, c, false); /* CAEX exchanges them and inverts the output: the same */
}

static bool comparator_a_worth_looking(const struct node *n, const struct msp430_comparator_a *c)
{
    const unsigned on = CAON | CAIE;
    return (n->data[c->cactl1] & on) == on &&
           (analog_has_source(n, MSP430_LINE_CA0) || analog_has_source(n, MSP430_LINE_CA1));
}

static void comparator_a_look(struct node *n, const struct device *d)
{
    const struct msp430_comparator_a *c = d->config;
    struct state *s = device_state(n, d);
    bool higher = comparator_a_compare(n, c);
    if (higher != s->higher) {
        s->higher = higher;
        if (event_pending(n, d, EVENT_OUTPUT)) /* back before it was seen */
            event_cancel(n, d, EVENT_OUTPUT);
        else
            event_in(n, d, EVENT_OUTPUT, CLOCK_TICK,
                     node_ticks(n, n->data[c->cactl2] & CAF ? filter_seconds : response_seconds));
    }
    if (!comparator_a_worth_looking(n, c))
        event_cancel(n, d, EVENT_LOOK);
    else if (!event_pending(n, d, EVENT_LOOK))
        event_in(n, d, EVENT_LOOK, CLOCK_TICK, node_ticks(n, look_seconds));
}

/* ---- output ---- */

static void comparator_a_update(struct node *n, const struct msp430_comparator_a *c)
{
    unsigned cactl1 = n->data[c->cactl1];
    node_irq(n, c->line, cactl1 & CAIE && cactl1 & CAIFG);
}

static void comparator_a_event(struct node *n, const struct device *d, unsigned which)
{
    const struct msp430_comparator_a *c = d->config;
    if (which == EVENT_LOOK) {
        comparator_a_look(n, d);
        return;
    }
    bool high = (n->data[c->cactl2] ^= CAOUT) & CAOUT, on_fall = n->data[c->cactl1] & CAIES;
    if (high != on_fall)
        n->data[c->cactl1] |= CAIFG;
    comparator_a_update(n, c);
    msp430_port_output(n, c->caout, high ? PIN_VALUE_HIGH : PIN_VALUE_LOW);
    msp430_timer_input(n, c->timer, c->block, high);
}

static void comparator_a_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    (void)cause;
    s->higher = false;
}

static void comparator_a_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct msp430_comparator_a *c = d->config;
    (void)role, (void)level;
    if (n->data[c->cactl1] & CAON)
        comparator_a_look(n, d);
}

static void comparator_a_read(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    comparator_a_look(n, d);
}

static void comparator_a_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct msp430_comparator_a *c = d->config;
    (void)role, (void)value, (void)old;
    comparator_a_update(n, c);
    comparator_a_look(n, d);
}

/* CAIFG is cleared when its interrupt is served (16.2.6). */
static void comparator_a_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    const struct msp430_comparator_a *c = d->config;
    (void)irq;
    n->data[c->cactl1] &= (uint8_t)~CAIFG;
    comparator_a_update(n, c);
}

const struct device_type msp430_comparator_a = {
    .name = "comparator a",
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = comparator_a_connect,
    .reset = comparator_a_reset,
    .event = comparator_a_event,
    .read = comparator_a_read,
    .write = comparator_a_write,
    .acknowledge = comparator_a_acknowledge,
    .input = comparator_a_input,
};
