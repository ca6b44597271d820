#include "device/msp430/port.h"

#include <assert.h>

enum { ROLE_IN, ROLE_OUT, ROLE_DIR, ROLE_SEL, ROLE_IE, ROLE_IES, ROLE_IFG };

struct state {
    uint8_t out, ies;   /* not changed by any reset */
    uint8_t inputs;     /* what modules saw last while their pin was theirs */
    uint8_t driven;     /* pins whose module has set a direction or level */
    uint8_t modules[8]; /* enum pin_override */
};

static const struct msp430_port *msp430_port_config_of(const struct device *d)
{
    return d->config;
}

static const struct device *port_of(const struct machine *m, unsigned pin)
{
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type == &msp430_port && msp430_port_config_of(&m->devices[i])->number == pin / 8 + 1)
            return &m->devices[i];
    assert(!"a pin without a port");
    return NULL;
}

static unsigned pin_at(const struct msp430_port *p, unsigned bit)
{
    return MSP430_PIN(p->number, bit);
}

static void msp430_port_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_port *p = msp430_port_config_of(d);
    wire_register(w, d, p->in, ROLE_IN, WIRE_READ, 0);
    wire_register(w, d, p->out, ROLE_OUT, WIRE_STORE, 0xff);
    wire_register(w, d, p->dir, ROLE_DIR, WIRE_STORE, 0xff);
    wire_register(w, d, p->sel, ROLE_SEL, WIRE_STORE, 0xff);
    if (p->ie) {
        wire_register(w, d, p->ie, ROLE_IE, WIRE_STORE, 0xff);
        wire_register(w, d, p->ies, ROLE_IES, WIRE_STORE, 0xff);
        wire_register(w, d, p->ifg, ROLE_IFG, WIRE_STORE, 0xff);
        wire_interrupt(w, d, p->line, 0);
    }
    for (unsigned bit = 0; bit < 8; bit++)
        wire_pin(w, d, pin_at(p, bit), bit);
}

static uint8_t levels(const struct node *n, const struct msp430_port *p)
{
    unsigned all = 0;
    for (unsigned bit = 0; bit < 8; bit++)
        all |= (unsigned)pin_level(n, pin_at(p, bit)) << bit;
    return (uint8_t)all;
}

static void msp430_port_update_interrupt(struct node *n, const struct msp430_port *p)
{
    if (p->ie)
        node_irq(n, p->line, n->data[p->ifg] & n->data[p->ie]);
}

/* ---- driving ---- */

static void msp430_port_drive(struct node *n, const struct device *d, unsigned bit)
{
    const struct msp430_port *p = msp430_port_config_of(d);
    const struct state *s = device_state(n, d);
    unsigned pin = pin_at(p, bit);
    bool selected = n->data[p->sel] >> bit & 1, output = n->data[p->dir] >> bit & 1, value = n->data[p->out] >> bit & 1;
    if (s->driven >> bit & 1)
        pin_set_override(n, pin, selected ? (enum pin_override)s->modules[bit] : PIN_NO_OVERRIDE);
    pin_set_port(n, pin, output && !(selected && p->analog), value && !selected, false);
}

static void drive_all(struct node *n, const struct device *d, unsigned bits)
{
    for (; bits; bits &= bits - 1)
        msp430_port_drive(n, d, (unsigned)__builtin_ctz(bits));
}

void msp430_port_output(struct node *n, unsigned pin, enum pin_override how)
{
    if (pin == PIN_NONE)
        return;
    const struct device *d = port_of(n->machine, pin);
    struct state *s = device_state(n, d);
    s->modules[pin % 8] = (uint8_t)how;
    s->driven |= (uint8_t)(1u << pin % 8);
    msp430_port_drive(n, d, pin % 8);
}

bool msp430_port_input(const struct node *n, unsigned pin)
{
    if (pin == PIN_NONE)
        return false;
    const struct device *d = port_of(n->machine, pin);
    const struct state *s = device_state(n, d);
    bool selected = n->data[msp430_port_config_of(d)->sel] >> pin % 8 & 1;
    return selected ? pin_level(n, pin) : s->inputs >> pin % 8 & 1;
}

uint16_t msp430_port_sel(const struct machine *m, unsigned pin)
{
    return msp430_port_config_of(port_of(m, pin))->sel;
}

static void msp430_port_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct msp430_port *p = msp430_port_config_of(d);
    struct state *s = device_state(n, d);
    (void)cause;
    n->data[p->out] = s->out;
    if (p->ie)
        n->data[p->ies] = s->ies;
    drive_all(n, d, 0xff);
    if (p->ie) /* for the edges that this made */
        n->data[p->ifg] = 0;
    msp430_port_update_interrupt(n, p);
}

/* ---- edges ---- */

static void msp430_port_flag(struct node *n, const struct msp430_port *p, unsigned bits)
{
    if (!p->ie)
        return;
    n->data[p->ifg] |= (uint8_t)(bits & ~n->data[p->sel]);
    msp430_port_update_interrupt(n, p);
}

static void msp430_port_input_changed(struct node *n, const struct device *d, unsigned bit, bool level)
{
    const struct msp430_port *p = msp430_port_config_of(d);
    struct state *s = device_state(n, d);
    if (n->data[p->sel] >> bit & 1)
        s->inputs = (uint8_t)((s->inputs & ~(1u << bit)) | (unsigned)level << bit);
    if (p->ie && level != (n->data[p->ies] >> bit & 1))
        msp430_port_flag(n, p, 1u << bit);
}

static void msp430_port_read(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    n->data[msp430_port_config_of(d)->in] = levels(n, msp430_port_config_of(d));
}

/* Levels change by events. */
static bool msp430_port_outlook(const struct node *n, const struct device *d, unsigned role, struct outlook *o)
{
    (void)role, (void)o;
    return n->data[msp430_port_config_of(d)->in] == levels(n, msp430_port_config_of(d));
}

/* From the edge that was not there to the one that was: the input already stands where it leads (9.2.6). */
static void edge_select_written(struct node *n, const struct device *d, uint8_t value, uint8_t old)
{
    const struct msp430_port *p = msp430_port_config_of(d);
    struct state *s = device_state(n, d);
    uint8_t in = levels(n, p);
    s->ies = value;
    msp430_port_flag(n, p, (value & ~old & ~in) | (~value & old & in));
}

static void msp430_port_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct msp430_port *p = msp430_port_config_of(d);
    struct state *s = device_state(n, d);
    switch (role) {
    case ROLE_OUT:
        s->out = (uint8_t)value;
        drive_all(n, d, (value ^ old) & 0xff);
        break;
    case ROLE_DIR: drive_all(n, d, (value ^ old) & 0xff); break;
    case ROLE_SEL:
        drive_all(n, d, (value ^ old) & 0xff);
        s->inputs = (uint8_t)((s->inputs & ~value) | (levels(n, p) & value));
        break;
    case ROLE_IES: edge_select_written(n, d, (uint8_t)value, (uint8_t)old); break;
    default: msp430_port_update_interrupt(n, p); break;
    }
}

const struct device_type msp430_port = {
    .port = true,
    .name = "port",
    .state_size = sizeof(struct state),
    .connect = msp430_port_connect,
    .reset = msp430_port_reset,
    .read = msp430_port_read,
    .outlook = msp430_port_outlook,
    .write = msp430_port_write,
    .input = msp430_port_input_changed,
};
