#include "device/msp430/nmi.h"

#include "device/msp430/reset.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

enum { WDTNMI = 0x20, WDTNMIES = 0x40 };
enum { ROLE_FLAGS, ROLE_ENABLES };

struct state {
    uint8_t flag; /* NMIIFG, which outlives a PUC */
};

static void nmi_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_nmi *c = d->config;
    uint8_t enables = bits_mask(c->pin.enable) | bits_mask(c->oscillator.enable) | bits_mask(c->flash.enable);
    wire_register(w, d, c->pin.flag.reg, ROLE_FLAGS, WIRE_STORE, bits_mask(c->pin.flag));
    wire_register(w, d, c->pin.enable.reg, ROLE_ENABLES, WIRE_STORE, enables);
    wire_interrupt(w, d, c->line, 0);
    wire_pin(w, d, c->reset_pin, 0);
}

static bool asks(const struct node *n, const struct msp430_nmi_source *s)
{
    return bits_get(n, s->flag) && bits_get(n, s->enable);
}

static void nmi_update(struct node *n, const struct device *d)
{
    const struct msp430_nmi *c = d->config;
    struct state *s = device_state(n, d);
    s->flag = (uint8_t)bits_get(n, c->pin.flag);
    node_irq(n, c->line, asks(n, &c->pin) || asks(n, &c->oscillator) || asks(n, &c->flash));
}

void msp430_nmi_update(struct node *n)
{
    const struct device *d = n->machine->lines[MSP430_LINE_NMI].device;
    if (d)
        nmi_update(n, d);
}

static void nmi_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct msp430_nmi *c = d->config;
    struct state *s = device_state(n, d);
    if (msp430_power_on_reset(cause))
        s->flag = 0;
    bits_set(n, c->pin.flag, s->flag);
}

static void nmi_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)role, (void)value, (void)old;
    nmi_update(n, d);
}

/* "When an NMI interrupt is accepted, all NMI interrupt-enable bits are automatically reset" (2.2.1). */
static void nmi_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    const struct msp430_nmi *c = d->config;
    (void)irq;
    bits_set(n, c->pin.enable, 0);
    bits_set(n, c->oscillator.enable, 0);
    bits_set(n, c->flash.enable, 0);
    nmi_update(n, d);
}

static void nmi_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct msp430_nmi *c = d->config;
    uint8_t control = n->data[c->watchdog_control];
    (void)role;
    if (!(control & WDTNMI)) {
        if (!level)
            node_request_reset(n, RESET_EXTERNAL);
    } else if (level != ((control & WDTNMIES) != 0)) {
        bits_set(n, c->pin.flag, 1);
        nmi_update(n, d);
    }
}

const struct device_type msp430_nmi = {
    .name = "nmi",
    .state_size = sizeof(struct state),
    .connect = nmi_connect,
    .reset = nmi_reset,
    .write = nmi_write,
    .acknowledge = nmi_acknowledge,
    .input = nmi_input,
};
