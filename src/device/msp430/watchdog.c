#include "device/msp430/watchdog.h"

#include "device/msp430/clocks.h"
#include "device/msp430/reset.h"
#include "device/msp430/words.h"

enum { WDTIS = 0x03, WDTSSEL = 0x04, WDTCNTCL = 0x08, WDTTMSEL = 0x10, WDTHOLD = 0x80 };
enum { READ_PASSWORD = 0x6900, WRITE_PASSWORD = 0x5a };
enum { ROLE_CONTROL, ROLE_FLAG, ROLE_ENABLE };
enum { EVENT_RESET, EVENT_INTERVAL, EVENTS };

struct state {
    uint64_t base;  /* cycle of its clock in which WDTCNT was zero */
    uint16_t count; /* WDTCNT while it is held */
    uint8_t flag;   /* WDTIFG, which outlives a PUC */
};

static void msp430_watchdog_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_watchdog *c = d->config;
    wire_register(w, d, c->control, ROLE_CONTROL, WIRE_WORD | WIRE_WRITE, 0);
    wire_register(w, d, c->flag.reg, ROLE_FLAG, WIRE_STORE, bits_mask(c->flag));
    wire_register(w, d, c->enable.reg, ROLE_ENABLE, WIRE_STORE, bits_mask(c->enable));
    wire_interrupt(w, d, c->line, 0);
    wire_instruction(w, d, INSTRUCTION_WATCHDOG_RESET); /* no instruction of this CPU: identifies the watchdog */
}

static unsigned msp430_watchdog_clock_of(unsigned control)
{
    return control & WDTSSEL ? MSP430_ACLK : MSP430_SMCLK;
}

static uint16_t count_now(const struct node *n, const struct device *d)
{
    const struct msp430_watchdog *c = d->config;
    const struct state *s = device_state(n, d);
    uint8_t control = n->data[c->control];
    return control & WDTHOLD ? s->count : (uint16_t)(node_cycle(n, msp430_watchdog_clock_of(control)) - s->base);
}

static void msp430_watchdog_set_flag(struct node *n, const struct device *d, bool on)
{
    const struct msp430_watchdog *c = d->config;
    struct state *s = device_state(n, d);
    s->flag = on;
    bits_set(n, c->flag, on);
}

/* Events and the interrupt line follow from the registers. As a watchdog it resets and does not interrupt. */
static void msp430_watchdog_update(struct node *n, const struct device *d)
{
    static const uint32_t intervals[4] = {32768, 8192, 512, 64};
    const struct msp430_watchdog *c = d->config;
    const struct state *s = device_state(n, d);
    uint8_t control = n->data[c->control];
    bool interval = control & WDTTMSEL;
    uint64_t length = intervals[control & WDTIS], clock = msp430_watchdog_clock_of(control), due = NEVER;
    if (!(control & WDTHOLD))
        due = s->base + ((node_cycle(n, (unsigned)clock) - s->base) / length + 1) * length;
    event_at(n, d, EVENT_RESET, (unsigned)clock, interval ? NEVER : due);
    event_at(n, d, EVENT_INTERVAL, (unsigned)clock, interval && !s->flag ? due : NEVER);
    node_irq(n, c->line, interval && s->flag && bits_get(n, c->enable));
}

static void msp430_watchdog_set_control(struct node *n, const struct device *d, unsigned value)
{
    const struct msp430_watchdog *c = d->config;
    struct state *s = device_state(n, d);
    uint16_t count = value & WDTCNTCL ? 0 : count_now(n, d);
    word_set(n, c->control, READ_PASSWORD | (value & 0xff & ~WDTCNTCL));
    s->count = value & WDTHOLD ? count : 0;
    s->base = value & WDTHOLD ? 0 : node_cycle(n, msp430_watchdog_clock_of(value)) - count;
    msp430_watchdog_update(n, d);
}

static void msp430_watchdog_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    msp430_watchdog_set_flag(n, d, s->flag && !msp430_power_on_reset(cause));
    msp430_watchdog_set_control(n, d, WDTCNTCL);
}

static void bite(struct node *n, const struct device *d)
{
    msp430_watchdog_set_flag(n, d, true);
    node_request_reset(n, RESET_WATCHDOG);
}

static void msp430_watchdog_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_RESET)
        bite(n, d);
    else
        msp430_watchdog_set_flag(n, d, true);
    msp430_watchdog_update(n, d);
}

static void msp430_watchdog_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct msp430_watchdog *c = d->config;
    struct state *s = device_state(n, d);
    (void)old;
    if (role == ROLE_CONTROL) {
        if (value >> 8 == WRITE_PASSWORD)
            msp430_watchdog_set_control(n, d, value);
        else
            bite(n, d);
        return;
    }
    if (role == ROLE_FLAG)
        s->flag = (value & bits_mask(c->flag)) != 0;
    msp430_watchdog_update(n, d);
}

static void msp430_watchdog_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    (void)irq;
    msp430_watchdog_set_flag(n, d, false);
    msp430_watchdog_update(n, d);
}

static void msp430_watchdog_canonical(struct node *n, const struct device *d)
{
    const struct msp430_watchdog *c = d->config;
    struct state *s = device_state(n, d);
    uint8_t control = n->data[c->control];
    s->base = control & WDTHOLD ? 0 : node_cycle(n, msp430_watchdog_clock_of(control)) - s->base; /* gone by */
}

const struct device_type msp430_watchdog = {
    .name = "watchdog",
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = msp430_watchdog_connect,
    .reset = msp430_watchdog_reset,
    .event = msp430_watchdog_event,
    .write = msp430_watchdog_write,
    .acknowledge = msp430_watchdog_acknowledge,
    .canonical = msp430_watchdog_canonical,
};
