#include "device/avr/port.h"

#include "node/machine.h"
#include "node/pins.h"
#include "node/wiring.h"

enum { ROLE_PIN, ROLE_DDR, ROLE_PORT, ROLE_PULL_UPS };
enum { DELAY = 2 }; /* I/O clock cycles from a change to its being read */

struct state {
    uint64_t cycle;          /* of the I/O clock, when a pin last changed */
    uint8_t seen[DELAY + 1]; /* what PINx shows in that cycle, in the next, and from then on */
};

static const struct avr_port *avr_port_config_of(const struct device *d)
{
    return d->config;
}

/* The pins that are the port's on this machine, with its fuses. */
static uint8_t pins_of(const struct machine *m, const struct avr_port *p)
{
    bool reset_pin = p->reset_bit && (m->fuses[1] & p->reset_fuse);
    return reset_pin ? p->mask & (uint8_t)~p->reset_bit : p->mask;
}

static void avr_port_connect(const struct device *d, struct wiring *w)
{
    const struct avr_port *p = avr_port_config_of(d);
    wire_register(w, d, p->pin, ROLE_PIN, WIRE_READ, 0);
    wire_register(w, d, p->pin, ROLE_PIN, WIRE_WRITE | WIRE_KEPT, 0);
    wire_register(w, d, p->ddr, ROLE_DDR, WIRE_STORE, pins_of(w->machine, p));
    wire_register(w, d, p->port, ROLE_PORT, WIRE_STORE, pins_of(w->machine, p));
    wire_register(w, d, p->pull_up_disable.reg, ROLE_PULL_UPS, WIRE_STORE, bits_mask(p->pull_up_disable));
    if (p->input_disable.reg)
        wire_register(w, d, p->input_disable.reg, 0, WIRE_PLAIN, p->input_disable.mask);
    for (unsigned bit = 0; bit < 8; bit++)
        if (p->mask & 1u << bit)
            wire_pin(w, d, p->number * 8u + bit, bit);
}

static void avr_port_drive(struct node *n, const struct avr_port *p, uint8_t pins)
{
    uint8_t ddr = n->data[p->ddr], port = n->data[p->port];
    bool pull_ups = !bits_get(n, p->pull_up_disable);
    for (; pins; pins &= (uint8_t)(pins - 1)) {
        unsigned bit = (unsigned)__builtin_ctz(pins);
        bool output = ddr >> bit & 1, value = port >> bit & 1;
        pin_set_port(n, p->number * 8u + bit, output, value, !output && value && pull_ups);
    }
}

static void avr_port_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    const struct avr_port *p = avr_port_config_of(d);
    avr_port_drive(n, p, p->mask);
    uint8_t levels = 0;
    for (unsigned bit = 0; bit < 8; bit++)
        if (p->mask & 1u << bit && pin_level(n, p->number * 8u + bit))
            levels |= (uint8_t)(1u << bit);
    struct state *s = device_state(n, d);
    *s = (struct state){.cycle = node_cycle(n, CLOCK_IO), .seen = {levels, levels, levels}};
}

static uint64_t cycles_since(const struct node *n, const struct state *s)
{
    uint64_t gone = node_cycle(n, CLOCK_IO) - s->cycle;
    return gone < DELAY ? gone : DELAY;
}

static void avr_port_input(struct node *n, const struct device *d, unsigned bit, bool level)
{
    struct state *s = device_state(n, d);
    for (uint64_t gone = cycles_since(n, s); gone; gone--) {
        s->seen[0] = s->seen[1];
        s->seen[1] = s->seen[2];
    }
    s->cycle = node_cycle(n, CLOCK_IO);
    s->seen[DELAY] = (uint8_t)((s->seen[DELAY] & ~(1u << bit)) | (unsigned)level << bit);
}

static uint8_t avr_port_shows(const struct node *n, const struct avr_port *p, const struct state *s)
{
    uint8_t seen = s->seen[cycles_since(n, s)];
    return seen & pins_of(n->machine, p) & (uint8_t)~avr_inputs_disabled(n, p->input_disable);
}

static void avr_port_read(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    const struct avr_port *p = avr_port_config_of(d);
    n->data[p->pin] = avr_port_shows(n, p, device_state(n, d));
}

/* Levels change by events, once the last change has come through. */
static bool avr_port_outlook(const struct node *n, const struct device *d, unsigned role, struct outlook *o)
{
    (void)role, (void)o;
    const struct avr_port *p = avr_port_config_of(d);
    const struct state *s = device_state(n, d);
    return cycles_since(n, s) == DELAY && n->data[p->pin] == avr_port_shows(n, p, s);
}

static void avr_port_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct avr_port *p = avr_port_config_of(d);
    uint8_t pins = pins_of(n->machine, p);
    switch (role) {
    case ROLE_PIN:
        if (!p->pin_toggles)
            return;
        n->data[p->port] ^= value & pins;
        avr_port_drive(n, p, value & pins);
        return;
    case ROLE_DDR:
    case ROLE_PORT: avr_port_drive(n, p, (value ^ old) & pins); return;
    case ROLE_PULL_UPS:
        if ((value ^ old) & bits_mask(p->pull_up_disable))
            avr_port_drive(n, p, pins);
        return;
    }
}

static void avr_port_canonical(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    for (uint64_t gone = cycles_since(n, s); gone; gone--) {
        s->seen[0] = s->seen[1];
        s->seen[1] = s->seen[2];
    }
    s->cycle = node_cycle(n, CLOCK_IO);
    n->data[avr_port_config_of(d)->pin] = 0; /* every read works it out */
}

const struct device_type avr_port = {
    .name = "port",
    .port = true,
    .state_size = sizeof(struct state),
    .connect = avr_port_connect,
    .reset = avr_port_reset,
    .read = avr_port_read,
    .outlook = avr_port_outlook,
    .write = avr_port_write,
    .input = avr_port_input,
    .canonical = avr_port_canonical,
};
