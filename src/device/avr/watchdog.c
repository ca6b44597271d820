#include "device/avr/watchdog.h"

#include "device/avr/clocks.h"
#include "device/avr/window.h"

enum { WDP = 0x07, WDE = 0x08, WDCE = 0x10, WDP3 = 0x20, WDIE = 0x40, WDIF = 0x80 };
enum { EVENT_TIMEOUT, EVENTS };
enum { CHANGE_WINDOW = 4 };

struct state {
    uint64_t window;
    uint64_t base; /* oscillator cycle in which the count was zero */
    uint8_t on;
};

static void watchdog_connect(const struct device *d, struct wiring *w)
{
    const struct avr_watchdog *c = d->config;
    wire_register(w, d, c->control, 0, WIRE_WRITE | WIRE_READ, 0);
    wire_instruction(w, d, INSTRUCTION_WATCHDOG_RESET);
    if (c->vector)
        wire_interrupt(w, d, c->vector, 0);
}

static uint64_t avr_watchdog_period(const struct node *n, const struct avr_watchdog *c)
{
    uint8_t control = n->data[c->control];
    unsigned setting = control & WDP;
    if (c->vector && control & WDP3)
        setting += 8;
    return (uint64_t)c->shortest << (setting < c->longest ? setting : c->longest);
}

static void avr_watchdog_update_interrupt(struct node *n, const struct avr_watchdog *c)
{
    if (c->vector)
        node_irq(n, c->vector, (n->data[c->control] & (WDIF | WDIE)) == (WDIF | WDIE));
}

/* The bits that are forced, then what follows from the bits. */
static void avr_watchdog_update(struct node *n, const struct device *d)
{
    const struct avr_watchdog *c = d->config;
    struct state *s = device_state(n, d);
    uint8_t *control = &n->data[c->control];
    if (fuse_programmed(n, c->always_on))
        *control = (uint8_t)((*control | WDE) & ~WDIE);
    if (c->vector && bits_get(n, c->reset_flag))
        *control |= WDE;
    bool on = *control & (c->vector ? WDE | WDIE : WDE);
    if (on && !s->on)
        s->base = node_cycle(n, AVR_CLOCK_WATCHDOG);
    s->on = on;
    if (on)
        event_at(n, d, EVENT_TIMEOUT, AVR_CLOCK_WATCHDOG, s->base + avr_watchdog_period(n, c));
    else
        event_cancel(n, d, EVENT_TIMEOUT);
    avr_watchdog_update_interrupt(n, c);
}

/* The chip is held in reset until the CPU starts, and the watchdog with it. The power device, which comes before this
 * one in the chip's list, has set the reset flags and the delay (as CPU cycles owed). */
static void watchdog_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    const struct clock *clocks = n->state->clocks;
    (void)cause;
    *s = (struct state){0};
    avr_watchdog_update(n, d);
    if (s->on) {
        uint64_t start = clock_tick_of(&clocks[CLOCK_CPU], node_cycle(n, CLOCK_CPU) + n->state->stall);
        s->base = clock_cycle_at(&clocks[AVR_CLOCK_WATCHDOG], start);
        avr_watchdog_update(n, d);
    }
}

static void watchdog_event(struct node *n, const struct device *d, unsigned event)
{
    const struct avr_watchdog *c = d->config;
    struct state *s = device_state(n, d);
    uint8_t *control = &n->data[c->control];
    (void)event;
    s->base = node_cycle(n, AVR_CLOCK_WATCHDOG);
    bool interrupts = c->vector && *control & WDIE;
    bool unserved = *control & WDIF;
    if (!interrupts || (*control & WDE && unserved))
        node_request_reset(n, RESET_WATCHDOG);
    else
        *control |= WDIF;
    avr_watchdog_update(n, d);
}

/* In interrupt and system reset mode, "executing the corresponding interrupt vector will clear WDIE and WDIF". */
static void watchdog_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    const struct avr_watchdog *c = d->config;
    uint8_t *control = &n->data[c->control];
    (void)irq;
    *control &= (uint8_t)(*control & WDE ? ~(WDIF | WDIE) : ~WDIF);
    avr_watchdog_update(n, d);
}

/* Section "Timed Sequences for Changing the Configuration of the Watchdog Timer". In safety level 0 (M103C programmed,
 * WDTON not) the prescaler is free. */
static void watchdog_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct avr_watchdog *c = d->config;
    struct state *s = device_state(n, d);
    uint8_t *control = &n->data[c->control];
    uint8_t prescaler = c->vector ? WDP | WDP3 : WDP;
    bool timed = window_is_open(n, s->window);
    bool free_prescaler = fuse_programmed(n, c->compatible) && !fuse_programmed(n, c->always_on);
    (void)role, (void)old;
    if (c->vector) {
        *control = (uint8_t)((*control & ~WDIE) | (value & WDIE));
        if (value & WDIF)
            *control &= (uint8_t)~WDIF;
    }
    if ((value & WDCE) && (value & WDE)) {
        s->window = window_opened(n, CHANGE_WINDOW);
        *control |= WDCE | WDE;
    } else {
        if (timed || free_prescaler)
            *control = (uint8_t)((*control & ~prescaler) | (value & prescaler));
        if (timed && !(value & WDE))
            *control &= (uint8_t)~WDE;
        *control = (uint8_t)((*control & ~WDCE) | (value & WDE));
        s->window = 0;
    }
    avr_watchdog_update(n, d);
}

static void watchdog_read(struct node *n, const struct device *d, unsigned role)
{
    const struct avr_watchdog *c = d->config;
    const struct state *s = device_state(n, d);
    (void)role;
    if (!window_is_open(n, s->window))
        n->data[c->control] &= (uint8_t)~WDCE;
}

static void watchdog_instruction(struct node *n, const struct device *d, enum instruction what)
{
    struct state *s = device_state(n, d);
    (void)what;
    if (s->on) {
        s->base = node_cycle(n, AVR_CLOCK_WATCHDOG);
        avr_watchdog_update(n, d);
    }
}

const struct device_type avr_watchdog = {
    .name = "watchdog",
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = watchdog_connect,
    .reset = watchdog_reset,
    .event = watchdog_event,
    .read = watchdog_read,
    .write = watchdog_write,
    .acknowledge = watchdog_acknowledge,
    .instruction = watchdog_instruction,
};
