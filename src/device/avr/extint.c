#include "device/avr/extint.h"

#include "node/pins.h"

static bool io_clock_stopped(const struct node *n)
{
    return n->state->clocks[CLOCK_IO].period == 0;
}

/* ---- INTn ---- */

enum { ROLE_SENSE, ROLE_ENABLE, ROLE_FLAGS };
enum sense { SENSE_LOW_LEVEL, SENSE_ANY_EDGE, SENSE_FALLING_EDGE, SENSE_RISING_EDGE };
enum { EDGE_DELAY = 3 };

struct extint_state {
    /* Changes of each pin on their way through the synchroniser: bit i of `changes` is one due at `base` + i. */
    struct {
        uint64_t base;
        uint64_t changes;
    } lines[AVR_EXTINT_LINES];
};

static const struct avr_extint *extint_of(const struct device *d)
{
    return d->config;
}

static bool has_line(const struct avr_extint *x, unsigned i)
{
    return i < AVR_EXTINT_LINES && x->lines[i].interrupt.vector;
}

static struct bits field_of(const struct avr_extint *x, unsigned i, unsigned role)
{
    switch (role) {
    case ROLE_SENSE: return x->lines[i].sense;
    case ROLE_ENABLE: return x->lines[i].interrupt.enable;
    default: return x->lines[i].interrupt.flag;
    }
}

/* Claims once each register in which neighbouring lines have a field of one kind. */
static void wire_fields(struct wiring *w, const struct device *d, unsigned role, unsigned mode)
{
    const struct avr_extint *x = extint_of(d);
    for (unsigned i = 0; has_line(x, i);) {
        uint16_t reg = field_of(x, i, role).reg;
        uint8_t mask = 0;
        for (; has_line(x, i) && field_of(x, i, role).reg == reg; i++)
            mask |= bits_mask(field_of(x, i, role));
        wire_register(w, d, reg, role, mode, mask);
    }
}

static void extint_connect(const struct device *d, struct wiring *w)
{
    const struct avr_extint *x = extint_of(d);
    wire_fields(w, d, ROLE_SENSE, WIRE_STORE);
    wire_fields(w, d, ROLE_ENABLE, WIRE_STORE);
    wire_fields(w, d, ROLE_FLAGS, WIRE_WRITE);
    for (unsigned i = 0; has_line(x, i); i++) {
        wire_pin(w, d, x->lines[i].pin, i);
        avr_interrupt_wire(w, d, &x->lines[i].interrupt, i);
    }
}

static enum sense sense_of(const struct node *n, const struct avr_extint *x, unsigned i)
{
    return (enum sense)bits_get(n, x->lines[i].sense);
}

/* Brings the interrupt line in step with pin, mode and flag. */
static void extint_update(struct node *n, const struct avr_extint *x, unsigned i)
{
    const struct avr_interrupt *in = &x->lines[i].interrupt;
    if (sense_of(n, x, i) == SENSE_LOW_LEVEL) {
        bits_set(n, in->flag, 0);
        node_irq(n, in->vector, bits_get(n, in->enable) && !pin_level(n, x->lines[i].pin));
    } else {
        avr_interrupt_update(n, in);
    }
}

static void extint_edge(struct node *n, const struct avr_extint *x, unsigned i, bool level)
{
    bool hit = false;
    switch (sense_of(n, x, i)) {
    case SENSE_LOW_LEVEL: return;
    case SENSE_ANY_EDGE: hit = !x->lines[i].one_edge; break;
    case SENSE_FALLING_EDGE: hit = !level; break;
    case SENSE_RISING_EDGE: hit = level; break;
    }
    if (hit)
        avr_interrupt_flag(n, &x->lines[i].interrupt, true);
}

static void extint_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct extint_state *s = device_state(n, d);
    *s = (struct extint_state){0};
}

static void extint_schedule(struct node *n, const struct device *d, unsigned i)
{
    const struct extint_state *s = device_state(n, d);
    if (s->lines[i].changes)
        event_at(n, d, i, CLOCK_IO, s->lines[i].base + (unsigned)__builtin_ctzll(s->lines[i].changes));
    else
        event_cancel(n, d, i);
}

static void extint_input(struct node *n, const struct device *d, unsigned i, bool level)
{
    const struct avr_extint *x = extint_of(d);
    bool enabled = bits_get(n, x->lines[i].interrupt.enable);
    if (sense_of(n, x, i) == SENSE_LOW_LEVEL) {
        extint_update(n, x, i);
        return;
    }
    if (x->lines[i].asynchronous) {
        if (enabled || !io_clock_stopped(n))
            extint_edge(n, x, i, level);
        return;
    }
    struct extint_state *s = device_state(n, d);
    uint64_t due = node_cycle(n, CLOCK_IO) + EDGE_DELAY;
    unsigned gone = s->lines[i].changes ? (unsigned)__builtin_ctzll(s->lines[i].changes) : 0;
    s->lines[i].base = s->lines[i].changes ? s->lines[i].base + gone : due;
    s->lines[i].changes >>= gone;
    s->lines[i].changes ^= UINT64_C(1) << (due - s->lines[i].base); /* twice in one cycle is no change */
    extint_schedule(n, d, i);
}

static void extint_event(struct node *n, const struct device *d, unsigned i)
{
    const struct avr_extint *x = extint_of(d);
    struct extint_state *s = device_state(n, d);
    s->lines[i].changes &= s->lines[i].changes - 1;
    extint_schedule(n, d, i);
    bool behind = __builtin_parityll(s->lines[i].changes); /* the pin has since changed again */
    extint_edge(n, x, i, pin_level(n, x->lines[i].pin) != behind);
}

static void extint_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    const struct avr_extint *x = extint_of(d);
    struct extint_state *s = device_state(n, d);
    for (unsigned i = 0; has_line(x, i); i++) {
        if (role == ROLE_FLAGS)
            avr_interrupt_flag_written(n, &x->lines[i].interrupt, value);
        if (sense_of(n, x, i) == SENSE_LOW_LEVEL && s->lines[i].changes) {
            s->lines[i].changes = 0;
            extint_schedule(n, d, i);
        }
        extint_update(n, x, i);
    }
}

static void extint_acknowledge(struct node *n, const struct device *d, unsigned i)
{
    const struct avr_extint *x = extint_of(d);
    if (sense_of(n, x, i) != SENSE_LOW_LEVEL)
        avr_interrupt_acknowledge(n, &x->lines[i].interrupt);
}

static void extint_canonical(struct node *n, const struct device *d)
{
    struct extint_state *s = device_state(n, d);
    for (unsigned i = 0; i < AVR_EXTINT_LINES; i++)
        if (!s->lines[i].changes)
            s->lines[i].base = 0;
}

const struct device_type avr_extint = {
    .name = "external interrupts",
    .state_size = sizeof(struct extint_state),
    .events = AVR_EXTINT_LINES,
    .connect = extint_connect,
    .reset = extint_reset,
    .event = extint_event,
    .write = extint_write,
    .acknowledge = extint_acknowledge,
    .input = extint_input,
    .canonical = extint_canonical,
};

/* ---- PCINTn ---- */

enum { ROLE_PCINT_MASK, ROLE_PCINT_ENABLE, ROLE_PCINT_FLAG };
enum { CHANGE_DELAY = 4 };

struct pcint_state {
    uint64_t again; /* the tick of a second change on its way after the first, or 0 */
};

static const struct avr_pcint *pcint_of(const struct device *d)
{
    return d->config;
}

static void pcint_connect(const struct device *d, struct wiring *w)
{
    const struct avr_pcint *p = pcint_of(d);
    uint8_t mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (p->pins[i] == PIN_NONE)
            continue;
        mask |= (uint8_t)(1u << i);
        wire_pin(w, d, p->pins[i], i);
    }
    wire_register(w, d, p->mask, ROLE_PCINT_MASK, WIRE_PLAIN, mask);
    wire_register(w, d, p->interrupt.enable.reg, ROLE_PCINT_ENABLE, WIRE_STORE, bits_mask(p->interrupt.enable));
    wire_register(w, d, p->interrupt.flag.reg, ROLE_PCINT_FLAG, WIRE_WRITE, bits_mask(p->interrupt.flag));
    avr_interrupt_wire(w, d, &p->interrupt, 0);
}

static void pcint_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct pcint_state *s = device_state(n, d);
    s->again = 0;
}

static void pcint_input(struct node *n, const struct device *d, unsigned i, bool level)
{
    (void)level;
    const struct avr_pcint *p = pcint_of(d);
    if (!(n->data[p->mask] & ~avr_inputs_disabled(n, p->input_disable) & 1u << i))
        return;
    if (io_clock_stopped(n)) {
        if (bits_get(n, p->interrupt.enable))
            avr_interrupt_flag(n, &p->interrupt, true);
        return;
    }
    /* In ticks, not I/O clock cycles: a SLEEP right after the change must not keep it from waking the chip. */
    struct pcint_state *s = device_state(n, d);
    const struct clock *io = &n->state->clocks[CLOCK_IO];
    uint64_t due = clock_tick_of(io, clock_cycle_at(io, node_now(n)) + CHANGE_DELAY);
    if (event_pending(n, d, 0))
        s->again = due;
    else
        event_at(n, d, 0, CLOCK_TICK, clock_cycle_at(&n->state->clocks[CLOCK_TICK], due));
}

static void pcint_event(struct node *n, const struct device *d, unsigned event)
{
    struct pcint_state *s = device_state(n, d);
    if (s->again > node_now(n))
        event_at(n, d, event, CLOCK_TICK, clock_cycle_at(&n->state->clocks[CLOCK_TICK], s->again));
    s->again = 0;
    avr_interrupt_flag(n, &pcint_of(d)->interrupt, true);
}

static void pcint_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (role == ROLE_PCINT_FLAG)
        avr_interrupt_flag_written(n, &pcint_of(d)->interrupt, value);
    else
        avr_interrupt_update(n, &pcint_of(d)->interrupt);
}

static void pcint_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    (void)irq;
    avr_interrupt_acknowledge(n, &pcint_of(d)->interrupt);
}

const struct device_type avr_pcint = {
    .name = "pin-change interrupt",
    .state_size = sizeof(struct pcint_state),
    .events = 1,
    .connect = pcint_connect,
    .reset = pcint_reset,
    .event = pcint_event,
    .write = pcint_write,
    .acknowledge = pcint_acknowledge,
    .input = pcint_input,
};
