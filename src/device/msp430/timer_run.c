#include "device/msp430/clocks.h"
#include "device/msp430/port.h"
#include "device/msp430/timer_state.h"
#include "node/machine.h"

static const struct msp430_timer *timer_run_config_of(const struct device *d)
{
    return d->config;
}

/* ---- time ---- */

enum msp430_timer_source msp430_timer_source(const struct msp430_timer_state *s)
{
    return (enum msp430_timer_source)(s->control >> 8 & 3);
}

bool msp430_timer_counts_pin(const struct msp430_timer_state *s)
{
    return msp430_timer_source(s) == SOURCE_PIN || msp430_timer_source(s) == SOURCE_INVERSE_PIN;
}

static unsigned timer_run_clock_of(const struct msp430_timer_state *s)
{
    return msp430_timer_source(s) == SOURCE_ACLK ? MSP430_ACLK : MSP430_SMCLK;
}

uint64_t msp430_timer_source_cycle(const struct node *n, const struct msp430_timer_state *s)
{
    return msp430_timer_counts_pin(s) ? s->edges : node_cycle(n, timer_run_clock_of(s));
}

static unsigned divider_shift(const struct msp430_timer_state *s)
{
    return s->control >> 6 & 3;
}

void msp430_timer_look(struct node *n, const struct device *d)
{
    struct msp430_timer_state *s = device_state(n, d);
    uint64_t now = msp430_timer_source_cycle(n, s), shift = divider_shift(s);
    counter_run(&s->counter, ((now - s->base) >> shift) - ((s->last - s->base) >> shift), 0, 0);
    s->last = now;
}

/* ---- inputs ---- */

static uint8_t input_of(const struct msp430_timer *c, const struct msp430_timer_state *s, unsigned block)
{
    unsigned select = s->block_control[block] >> 12 & 3;
    return select < 2 ? c->block[block].inputs[select] : PIN_NONE;
}

/* The crystal's square wave: high in the first half of a cycle. */
static bool aclk_level(const struct node *n)
{
    const struct clock *c = &n->state->clocks[MSP430_ACLK];
    uint64_t start = clock_tick_of(c, clock_cycle_at(c, n->time));
    return c->period && (n->time - start) * 2 < c->period >> 32;
}

bool msp430_timer_input_level(const struct node *n, const struct msp430_timer *c, const struct msp430_timer_state *s,
                              unsigned block)
{
    unsigned select = s->block_control[block] >> 12 & 3, from = input_of(c, s, block);
    if (select >= 2)
        return select == 3;
    switch (from) {
    case MSP430_TIMER_ACLK: return aclk_level(n);
    case MSP430_TIMER_INTERNAL: return s->internal >> block & 1;
    default: return msp430_port_input(n, from);
    }
}

unsigned msp430_timer_edges(const struct msp430_timer_state *s, unsigned block)
{
    return s->block_control[block] & CAP ? s->block_control[block] >> 14 : 0;
}

static void capture(struct msp430_timer_state *s, unsigned block)
{
    if ((s->block_control[block] & SCS) && !counter_halted(&s->counter))
        s->counter.sampling |= (uint8_t)(1u << block);
    else
        counter_capture(&s->counter, block);
}

void msp430_timer_sense(struct node *n, const struct device *d, unsigned block, unsigned armed)
{
    struct msp430_timer_state *s = device_state(n, d);
    bool level = msp430_timer_input_level(n, timer_run_config_of(d), s, block), old = s->counter.inputs >> block & 1;
    if (level == old)
        return;
    s->counter.inputs ^= (uint8_t)(1u << block);
    bool aclk = input_of(timer_run_config_of(d), s, block) == MSP430_TIMER_ACLK;
    if (!aclk && (armed & (level ? EDGE_RISING : EDGE_FALLING)))
        capture(s, block);
}

static bool captures_aclk(const struct msp430_timer *c, const struct msp430_timer_state *s, unsigned block,
                          unsigned edges)
{
    return (msp430_timer_edges(s, block) & edges) && input_of(c, s, block) == MSP430_TIMER_ACLK;
}

/* ---- what the rest of the chip sees ---- */

uint8_t msp430_timer_enabled(const struct msp430_timer *c, const struct msp430_timer_state *s)
{
    unsigned mask = s->control & IE ? COUNTER_OVERFLOW : 0;
    for (unsigned i = 0; i < c->blocks; i++)
        mask |= (unsigned)((s->block_control[i] & CCIE) != 0) << i;
    return (uint8_t)mask;
}

static uint8_t timer_run_watched(const struct msp430_timer_state *s, enum msp430_timer_signal signal)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < COUNTER_BLOCKS; i++)
        mask |= (unsigned)(s->watchers[signal][i].device != 0) << i;
    return (uint8_t)mask;
}

static uint8_t visible_outputs(const struct node *n, const struct msp430_timer *c, const struct msp430_timer_state *s)
{
    unsigned mask = timer_run_watched(s, MSP430_TIMER_OUT);
    for (unsigned i = 0; i < c->blocks; i++)
        for (unsigned j = 0; j < MSP430_TIMER_PINS && s->counter.output_mode[i]; j++) {
            unsigned pin = c->block[i].outputs[j];
            if (pin != PIN_NONE && (n->data[msp430_port_sel(n->machine, pin)] >> pin % 8 & 1))
                mask |= 1u << i;
        }
    return (uint8_t)mask;
}

static void tell_watcher(struct node *n, struct watcher w, bool level)
{
    if (!w.device)
        return;
    const struct device *watcher = &n->machine->devices[w.device - 1];
    watcher->type->input(n, watcher, w.role, level);
}

static void timer_run_tell_outputs(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = timer_run_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    bool high = c->high_pin != PIN_NONE && msp430_port_input(n, c->high_pin);
    unsigned changed = s->counter.outputs ^ s->told_outputs;
    if (high != s->told_high)
        changed |= (1u << c->blocks) - 1;
    s->told_outputs = s->counter.outputs;
    s->told_high = high;
    for (unsigned i = 0; changed >> i; i++) {
        if (!(changed >> i & 1))
            continue;
        bool level = s->told_outputs >> i & 1;
        for (unsigned j = 0; j < MSP430_TIMER_PINS; j++)
            msp430_port_output(n, c->block[i].outputs[j], high ? PIN_INPUT : level ? PIN_VALUE_HIGH : PIN_VALUE_LOW);
        tell_watcher(n, s->watchers[MSP430_TIMER_OUT][i], level);
    }
}

static void tell_flags(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = timer_run_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    unsigned risen = s->counter.flags & ~s->told_flags & ~COUNTER_OVERFLOW;
    s->told_flags = s->counter.flags;
    for (unsigned i = 0; risen >> i; i++)
        if (risen >> i & 1)
            tell_watcher(n, s->watchers[MSP430_TIMER_FLAG][i], true);
    unsigned asks = s->counter.flags & msp430_timer_enabled(c, s);
    node_irq(n, c->line_0, asks & 1);
    node_irq(n, c->line, asks & ~1u);
}

/* The event for what is visible next. */
static void timer_run_schedule(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = timer_run_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    uint8_t flags = (msp430_timer_enabled(c, s) | timer_run_watched(s, MSP430_TIMER_FLAG)) & (uint8_t)~s->counter.flags;
    uint8_t outputs = visible_outputs(n, c, s);
    uint64_t clocks = UINT64_MAX, shift = divider_shift(s);
    if ((flags || outputs) && !msp430_timer_counts_pin(s)) {
        struct counter ahead = s->counter;
        clocks = counter_run(&ahead, UINT64_MAX, flags, outputs);
    }
    event_at(n, d, TIMER_EVENT_VISIBLE, timer_run_clock_of(s),
             clocks == UINT64_MAX ? NEVER : s->base + ((((s->last - s->base) >> shift) + clocks) << shift));
}

static void schedule_aclk(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = timer_run_config_of(d);
    const struct msp430_timer_state *s = device_state(n, d);
    bool any = false;
    for (unsigned i = 0; i < c->blocks; i++)
        any |= captures_aclk(c, s, i, EDGE_RISING | EDGE_FALLING);
    if (!any)
        event_cancel(n, d, TIMER_EVENT_ACLK_RISES);
    else if (!event_pending(n, d, TIMER_EVENT_ACLK_RISES))
        event_in(n, d, TIMER_EVENT_ACLK_RISES, MSP430_ACLK, 1);
}

/* Makes changes visible. Watchers may act on the timer in turn, so flags and outputs come last. */
void msp430_timer_settle(struct node *n, const struct device *d)
{
    timer_run_schedule(n, d);
    schedule_aclk(n, d);
    timer_run_tell_outputs(n, d);
    tell_flags(n, d);
}

/* ---- events, pins ---- */

static void aclk_edge(struct node *n, const struct device *d, enum edge edge)
{
    const struct msp430_timer *c = timer_run_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    bool falls = false;
    for (unsigned i = 0; i < c->blocks; i++) {
        uint8_t bit = (uint8_t)(1u << i);
        if (captures_aclk(c, s, i, edge))
            capture(s, i);
        if (input_of(c, s, i) == MSP430_TIMER_ACLK)
            s->counter.inputs = (uint8_t)((s->counter.inputs & ~bit) | (edge == EDGE_RISING ? bit : 0));
        falls |= captures_aclk(c, s, i, EDGE_FALLING);
    }
    if (edge == EDGE_RISING && falls)
        event_in(n, d, TIMER_EVENT_ACLK_FALLS, CLOCK_TICK, (n->state->clocks[MSP430_ACLK].period / 2) >> 32);
}

void msp430_timer_event(struct node *n, const struct device *d, unsigned event)
{
    msp430_timer_look(n, d);
    if (event != TIMER_EVENT_VISIBLE)
        aclk_edge(n, d, event == TIMER_EVENT_ACLK_RISES ? EDGE_RISING : EDGE_FALLING);
    msp430_timer_settle(n, d);
}

void msp430_timer_sense_clock(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = timer_run_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    if (!msp430_timer_counts_pin(s))
        return;
    bool level = msp430_port_input(n, msp430_timer_source(s) == SOURCE_PIN ? c->clock_pin : c->inverse_pin);
    if (level && !s->clock_level)
        s->edges++;
    s->clock_level = level;
}

/* An edge of the clock pin counts before what else happens at the same time. */
void msp430_timer_pin(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct msp430_timer_state *s = device_state(n, d);
    (void)level;
    if (role == ROLE_CLOCK_PIN || role == ROLE_INVERSE_PIN)
        msp430_timer_sense_clock(n, d);
    msp430_timer_look(n, d);
    if (role < ROLE_CLOCK_PIN)
        msp430_timer_sense(n, d, role / 2, msp430_timer_edges(s, role / 2));
    msp430_timer_settle(n, d);
}
