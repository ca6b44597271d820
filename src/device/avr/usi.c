#include "device/avr/usi.h"

#include "node/machine.h"
#include "node/pins.h"

enum { USISIE = 0x80, USIOIE = 0x40, USIWM = 0x30, USICS = 0x0c, USICLK = 0x02, USITC = 0x01 }; /* USICR */
enum { USISIF = 0x80, USIOIF = 0x40, USIPF = 0x20, USIDC = 0x10, USICNT = 0x0f };               /* USISR */
enum { WM_THREE_WIRES = 0x10, WM_TWO_WIRES = 0x20, WM_TWO_WIRES_HOLDING = 0x30 };
enum { CS_SOFTWARE = 0x00, CS_TIMER = 0x04, CS_RISING = 0x08, CS_FALLING = 0x0c };
enum { ROLE_DATA, ROLE_STATUS, ROLE_CONTROL, ROLE_PINS };
enum { ROLE_CLOCK_PIN, ROLE_DATA_PIN };

struct state {
    bool latch;     /* the bit on DO or SDA */
    bool by_strobe; /* USICLK with an external clock: the counter counts USITC */
    bool started;   /* a start condition holds SCL as soon as it is low */
    bool seen_data, seen_clock;
};

static const struct avr_usi *usi_config(const struct device *d)
{
    return d->config;
}

static void usi_connect(const struct device *d, struct wiring *w)
{
    const struct avr_usi *c = usi_config(d);
    wire_register(w, d, c->data, ROLE_DATA, WIRE_STORE, 0xff);
    wire_register(w, d, c->buffer, 0, WIRE_PLAIN, 0);
    wire_register(w, d, c->status, ROLE_STATUS, WIRE_WRITE | WIRE_READ, 0);
    wire_register(w, d, c->control, ROLE_CONTROL, WIRE_STORE, USISIE | USIOIE | USIWM | USICS);
    wire_register(w, d, c->port, ROLE_PINS, WIRE_WRITE, 0);
    wire_register(w, d, c->ddr, ROLE_PINS, WIRE_WRITE, 0);
    wire_pin(w, d, c->first_pin + c->clock, ROLE_CLOCK_PIN);
    wire_pin(w, d, c->first_pin + c->in, ROLE_DATA_PIN);
    avr_interrupt_wire(w, d, &c->start, 0);
    avr_interrupt_wire(w, d, &c->overflow, 1);
    if (c->power_reduction.width)
        wire_register(w, d, c->power_reduction.reg, ROLE_PINS, WIRE_STORE, bits_mask(c->power_reduction));
}

/* ---- pins ---- */

static unsigned usi_wires(const struct node *n, const struct avr_usi *c)
{
    return n->data[c->control] & USIWM;
}

static bool usi_two_wires(const struct node *n, const struct avr_usi *c)
{
    return usi_wires(n, c) & WM_TWO_WIRES;
}

static bool usi_holds_clock(const struct node *n, const struct avr_usi *c, const struct state *s)
{
    uint8_t status = n->data[c->status];
    bool start = s->started && (status & USISIF) && !s->seen_clock;
    return start || (usi_wires(n, c) == WM_TWO_WIRES_HOLDING && (status & USIOIF));
}

/* A pin of the two-wire modes: its port's direction enables the driver, which can only pull low. */
static void usi_pull(struct node *n, const struct avr_usi *c, unsigned bit, bool low)
{
    bool driven = n->data[c->ddr] >> bit & 1, zero = !(n->data[c->port] >> bit & 1);
    pin_set_override(n, c->first_pin + bit, !driven ? PIN_NO_OVERRIDE : low || zero ? PIN_OUTPUT_LOW : PIN_INPUT);
}

static void usi_drive(struct node *n, const struct device *d)
{
    const struct avr_usi *c = usi_config(d);
    const struct state *s = device_state(n, d);
    bool three = usi_wires(n, c) == WM_THREE_WIRES;
    pin_set_override(n, c->first_pin + c->out, !three ? PIN_NO_OVERRIDE : s->latch ? PIN_VALUE_HIGH : PIN_VALUE_LOW);
    if (usi_two_wires(n, c)) {
        usi_pull(n, c, c->in, !s->latch);
        usi_pull(n, c, c->clock, usi_holds_clock(n, c, s));
    } else {
        pin_set_override(n, c->first_pin + c->in, PIN_NO_OVERRIDE);
        pin_set_override(n, c->first_pin + c->clock, PIN_NO_OVERRIDE);
    }
}

/* The latch is open unless an external clock stands between the shift and the opposite edge. */
static void usi_update(struct node *n, const struct device *d)
{
    const struct avr_usi *c = usi_config(d);
    struct state *s = device_state(n, d);
    unsigned source = n->data[c->control] & USICS;
    bool external = source == CS_RISING || source == CS_FALLING;
    if (!external || s->seen_clock == (source == CS_FALLING))
        s->latch = n->data[c->data] >> 7;
    usi_drive(n, d);
}

static void usi_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct avr_usi *c = usi_config(d);
    (void)cause;
    struct state *s = device_state(n, d);
    *s = (struct state){
        .seen_data = pin_level(n, c->first_pin + c->in),
        .seen_clock = pin_level(n, c->first_pin + c->clock),
    };
    usi_drive(n, d);
}

/* ---- clocks ---- */

static void usi_shift(struct node *n, const struct avr_usi *c)
{
    n->data[c->data] = (uint8_t)(n->data[c->data] << 1 | pin_level(n, c->first_pin + c->in));
}

static void usi_count(struct node *n, const struct avr_usi *c)
{
    uint8_t *status = &n->data[c->status], count = (*status + 1) & USICNT;
    *status = (uint8_t)((*status & ~USICNT) | count);
    if (count)
        return;
    n->data[c->buffer] = n->data[c->data];
    avr_interrupt_flag(n, &c->overflow, true);
}

static void usi_clock(struct node *n, const struct device *d)
{
    const struct avr_usi *c = usi_config(d);
    usi_shift(n, c);
    usi_count(n, c);
    usi_update(n, d);
}

static bool usi_stopped(const struct node *n, const struct avr_usi *c)
{
    return bits_get(n, c->power_reduction);
}

void avr_usi_timer_match(struct node *n)
{
    const struct machine *m = n->machine;
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type == &avr_usi && (n->data[usi_config(&m->devices[i])->control] & USICS) == CS_TIMER &&
            !usi_stopped(n, usi_config(&m->devices[i])))
            usi_clock(n, &m->devices[i]);
}

static void usi_clock_edge(struct node *n, const struct device *d, bool level)
{
    const struct avr_usi *c = usi_config(d);
    struct state *s = device_state(n, d);
    unsigned source = n->data[c->control] & USICS;
    s->seen_clock = level;
    if (usi_stopped(n, c))
        return;
    if (source == (level ? CS_RISING : CS_FALLING))
        usi_shift(n, c);
    if ((source == CS_RISING || source == CS_FALLING) && !s->by_strobe)
        usi_count(n, c);
    usi_update(n, d);
}

/* A start condition is a fall of SDA while SCL is high, a stop condition a rise. */
static void usi_data_edge(struct node *n, const struct device *d, bool level)
{
    const struct avr_usi *c = usi_config(d);
    struct state *s = device_state(n, d);
    s->seen_data = level;
    if (!usi_two_wires(n, c) || !s->seen_clock || usi_stopped(n, c))
        return;
    if (level) {
        n->data[c->status] |= USIPF;
    } else {
        s->started = true;
        avr_interrupt_flag(n, &c->start, true);
    }
}

static void usi_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    if (role == ROLE_CLOCK_PIN)
        usi_clock_edge(n, d, level);
    else
        usi_data_edge(n, d, level);
}

/* ---- registers ---- */

/* Strobes: the shift sees the pins as they are before USITC moves the clock. */
static void usi_control_written(struct node *n, const struct device *d, unsigned value)
{
    const struct avr_usi *c = usi_config(d);
    struct state *s = device_state(n, d);
    bool external = value & CS_RISING;
    s->by_strobe = external && (value & USICLK);
    avr_interrupt_update(n, &c->start);
    avr_interrupt_update(n, &c->overflow);
    if (usi_stopped(n, c))
        return;
    if ((value & USICS) == CS_SOFTWARE && (value & USICLK))
        usi_clock(n, d);
    if (value & USITC) {
        node_write(n, c->port, (uint8_t)(n->data[c->port] ^ 1u << c->clock));
        if (s->by_strobe)
            usi_count(n, c);
    }
}

static void usi_status_written(struct node *n, const struct device *d, unsigned value)
{
    const struct avr_usi *c = usi_config(d);
    struct state *s = device_state(n, d);
    uint8_t *status = &n->data[c->status];
    *status = (uint8_t)((*status & ~(USICNT | (value & USIPF))) | (value & USICNT));
    avr_interrupt_flag_written(n, &c->start, value);
    avr_interrupt_flag_written(n, &c->overflow, value);
    if (value & USISIF)
        s->started = false;
}

static void usi_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (role == ROLE_CONTROL)
        usi_control_written(n, d, value);
    else if (role == ROLE_STATUS)
        usi_status_written(n, d, value);
    usi_update(n, d);
}

/* "This bit is logical one when bit 7 in the USI data register differs from the physical pin value", with two wires. */
static void usi_read(struct node *n, const struct device *d, unsigned role)
{
    const struct avr_usi *c = usi_config(d);
    (void)role;
    bool differs = n->data[c->data] >> 7 != pin_level(n, c->first_pin + c->in);
    uint8_t *status = &n->data[c->status];
    *status = (uint8_t)((*status & ~USIDC) | (usi_two_wires(n, c) && differs ? USIDC : 0));
}

/* The flags stay until software clears them (datasheet, USISR). */
const struct device_type avr_usi = {
    .name = "usi",
    .state_size = sizeof(struct state),
    .connect = usi_connect,
    .reset = usi_reset,
    .read = usi_read,
    .write = usi_write,
    .input = usi_input,
};
