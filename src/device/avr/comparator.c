#include "device/avr/comparator.h"

#include "device/avr/adc.h"
#include "node/machine.h"
#include "node/pins.h"

enum { ACD = 0x80, ACBG = 0x40, ACO = 0x20, ACI = 0x10, ACIE = 0x08, ACIC = 0x04, ACIS = 0x03 };
enum { ON_TOGGLE, RESERVED, ON_FALL, ON_RISE }; /* ACIS */

enum { ROLE_CONTROL, ROLE_INPUTS };
enum { EVENT_OUTPUT, EVENT_LOOK, EVENTS };
enum { OUTPUT_DELAY = 2 };

struct state {
    uint64_t due; /* I/O clock cycle from which ACO shows `higher`; 0: it does */
    bool higher;  /* the positive input is higher */
    bool levels;  /* AIN0 and AIN1 are compared, and nothing waits for the output; see comparator_input */
};

static const struct avr_comparator *comparator_config_of(const struct device *d)
{
    return d->config;
}

static void comparator_connect(const struct device *d, struct wiring *w)
{
    const struct avr_comparator *c = comparator_config_of(d);
    wire_register(w, d, c->acsr, ROLE_CONTROL, WIRE_STORE | WIRE_READ,
                  ACD | ACBG | ACIE | (c->timer ? ACIC : 0) | ACIS);
    wire_register(w, d, c->multiplex.reg, ROLE_INPUTS, WIRE_STORE, bits_mask(c->multiplex));
    wire_register(w, d, c->adc_enable.reg, ROLE_INPUTS, WIRE_WRITE, 0);
    wire_register(w, d, c->mux.reg, ROLE_INPUTS, WIRE_WRITE, 0);
    wire_channel(w, d, AVR_LINE_AIN0);
    wire_channel(w, d, AVR_LINE_AIN1);
    wire_pin(w, d, c->positive, AVR_LINE_AIN0);
    wire_pin(w, d, c->negative, AVR_LINE_AIN1);
    for (unsigned i = 0; i < 16; i++)
        wire_pin(w, d, c->adc_pins[i], i);
    avr_interrupt_wire(w, d, &c->interrupt, 0);
}

/* The line on the negative input. */
static unsigned negative_line(const struct node *n, const struct avr_comparator *c)
{
    if (!bits_get(n, c->multiplex) || bits_get(n, c->adc_enable) || bits_get(n, c->power_reduction))
        return AVR_LINE_AIN1;
    return bits_get(n, c->mux) | bits_get(n, c->mux_high) << c->mux.width;
}

static bool comparator_compare(struct node *n, const struct avr_comparator *c)
{
    uint8_t acsr = n->data[c->acsr];
    if (acsr & ACD)
        return false;
    unsigned line = negative_line(n, c);
    int32_t positive = acsr & ACBG ? c->bandgap : analog_voltage(n, AVR_LINE_AIN0, c->positive);
    return positive > analog_voltage(n, line, line == AVR_LINE_AIN1 ? c->negative : c->adc_pins[line]);
}

/* Something waits for the output: an interrupt, the capture input or the ADC's trigger. */
static bool comparator_awaited(const struct node *n, const struct avr_comparator *c)
{
    uint8_t acsr = n->data[c->acsr];
    return !(acsr & ACD) && (acsr & (ACIE | ACIC) || avr_adc_awaits(n, c->interrupt.vector));
}

static bool comparator_has_source(const struct node *n, const struct avr_comparator *c)
{
    bool bandgap = n->data[c->acsr] & ACBG;
    return analog_has_source(n, negative_line(n, c)) || (!bandgap && analog_has_source(n, AVR_LINE_AIN0));
}

static void comparator_show(struct node *n, const struct device *d)
{
    const struct avr_comparator *c = comparator_config_of(d);
    const struct state *s = device_state(n, d);
    uint8_t acsr = n->data[c->acsr] ^= ACO;
    unsigned mode = acsr & ACIS;
    if (!(acsr & ACI) && (mode == ON_TOGGLE || mode == (s->higher ? ON_RISE : ON_FALL)))
        avr_interrupt_flag(n, &c->interrupt, true);
    if (acsr & ACIC)
        timer_comparator(n, timer_find(n, c->timer), OUTPUT_DELAY);
}

/* Shows a change that is due. While nothing waits for the output this is done when a pin changes again or a register is
 * accessed, without an event: firmware that toggles the pins AIN0 and AIN1 for other purposes pays for no events. */
static void comparator_settle(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    if (!s->due || node_cycle(n, CLOCK_IO) < s->due)
        return;
    s->due = 0;
    comparator_show(n, d);
}

/* The inputs of the comparator are pins without parts that drive them with a voltage. */
static bool comparator_between_pins(const struct node *n, const struct avr_comparator *c)
{
    const struct wire *parts = n->machine->analog;
    return !(n->data[c->acsr] & (ACD | ACBG)) && !bits_get(n, c->multiplex) && !parts[AVR_LINE_AIN0].device &&
           !parts[AVR_LINE_AIN1].device;
}

static void comparator_schedule(struct node *n, const struct device *d)
{
    const struct avr_comparator *c = comparator_config_of(d);
    struct state *s = device_state(n, d);
    bool awaited = comparator_awaited(n, c);
    s->levels = !awaited && comparator_between_pins(n, c);
    if (awaited && s->due)
        event_at(n, d, EVENT_OUTPUT, CLOCK_IO, s->due);
    else if (event_pending(n, d, EVENT_OUTPUT))
        event_cancel(n, d, EVENT_OUTPUT);
    if (awaited && comparator_has_source(n, c)) {
        if (!event_pending(n, d, EVENT_LOOK))
            event_in(n, d, EVENT_LOOK, CLOCK_IO, AVR_COMPARATOR_LOOK);
    } else if (event_pending(n, d, EVENT_LOOK)) {
        event_cancel(n, d, EVENT_LOOK);
    }
}

static void comparator_take(struct node *n, const struct device *d, bool higher)
{
    struct state *s = device_state(n, d);
    comparator_settle(n, d);
    if (higher != s->higher) {
        s->higher = higher;
        s->due = s->due ? 0 : node_cycle(n, CLOCK_IO) + OUTPUT_DELAY; /* or back before it was seen */
    }
}

static void comparator_look(struct node *n, const struct device *d)
{
    comparator_take(n, d, comparator_compare(n, comparator_config_of(d)));
    comparator_schedule(n, d);
}

static void comparator_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct state *s = device_state(n, d);
    *s = (struct state){0};
    comparator_look(n, d);
}

static void comparator_event(struct node *n, const struct device *d, unsigned which)
{
    (void)which;
    comparator_look(n, d);
}

/* Firmware that uses AIN0 and AIN1 for other purposes toggles them at full speed: their levels say which voltage is
 * higher, and nothing has to be scheduled. */
static void comparator_input(struct node *n, const struct device *d, unsigned line, bool level)
{
    const struct avr_comparator *c = comparator_config_of(d);
    const struct state *s = device_state(n, d);
    if (s->levels && !n->analog) {
        if (line == AVR_LINE_AIN0)
            comparator_take(n, d, level && !pin_level(n, c->negative));
        else if (line == AVR_LINE_AIN1)
            comparator_take(n, d, !level && pin_level(n, c->positive));
        return;
    }
    uint8_t acsr = n->data[c->acsr];
    if (acsr & ACD)
        return;
    if (line == AVR_LINE_AIN0 ? !(acsr & ACBG) : line == negative_line(n, c))
        comparator_look(n, d);
}

static void comparator_read(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    comparator_look(n, d);
}

static void comparator_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    const struct avr_comparator *c = comparator_config_of(d);
    if (role == ROLE_CONTROL) {
        avr_interrupt_flag_written(n, &c->interrupt, value);
        avr_interrupt_update(n, &c->interrupt);
    }
    comparator_look(n, d);
}

static void comparator_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    (void)irq;
    avr_interrupt_acknowledge(n, &comparator_config_of(d)->interrupt);
}

const struct device_type avr_comparator = {
    .name = "analog comparator",
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = comparator_connect,
    .reset = comparator_reset,
    .event = comparator_event,
    .read = comparator_read,
    .write = comparator_write,
    .acknowledge = comparator_acknowledge,
    .input = comparator_input,
};
