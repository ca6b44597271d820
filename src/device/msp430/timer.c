#include "device/msp430/timer.h"

#include <assert.h>
#include <string.h>

#include "device/msp430/clocks.h"
#include "device/msp430/port.h"
#include "device/msp430/reset.h"
#include "device/msp430/words.h"
#include "node/wiring.h"

/* TACTL, TBCTL */
enum { IFG = 0x01, IE = 0x02, CLR = 0x04, CONTROL_A = 0x03fa, CONTROL_B = 0x7bfa };

/* TACCTLx, TBCCTLx; CLLD is Timer_B's, where Timer_A has SCCI */
enum {
    CCIFG = 0x01,
    COV = 0x02,
    OUT = 0x04,
    CCI = 0x08,
    CCIE = 0x10,
    CAP = 0x100,
    SCCI = 0x400,
    SCS = 0x800,
    BLOCK_A = 0xf9f4,
    BLOCK_B = 0xfff4,
};

enum edge { EDGE_RISING = 1, EDGE_FALLING = 2 };
enum { SOURCE_PIN, SOURCE_ACLK, SOURCE_SMCLK, SOURCE_INVERSE_PIN };
enum { ROLE_CONTROL, ROLE_COUNT, ROLE_VECTOR, ROLE_SEL, ROLE_BLOCK_CONTROL = 8, ROLE_COMPARE = 16 };
enum { ROLE_CLOCK_PIN = 32, ROLE_INVERSE_PIN, ROLE_HIGH_PIN }; /* roles of pins, after two for each block */
enum { EVENT_VISIBLE, EVENT_ACLK_RISES, EVENT_ACLK_FALLS, EVENTS };

struct watcher {
    uint8_t device; /* 1 + index; 0: nobody */
    uint8_t role;
};

struct state {
    uint64_t last;  /* the cycle of its source up to which all this holds */
    uint64_t base;  /* a cycle of the source in which the divider was zero */
    uint64_t edges; /* of the pin that is the source */
    struct counter counter;
    uint16_t control;
    uint16_t block_control[COUNTER_BLOCKS]; /* as written: without flags and levels */
    struct watcher watchers[2][COUNTER_BLOCKS];
    uint8_t internal;    /* levels of inputs from inside the chip */
    uint8_t clock_level; /* of the source pin */
    uint8_t told_flags, told_outputs, told_high;
};

static const struct msp430_timer *config_of(const struct device *d)
{
    return d->config;
}

/* ---- time ---- */

static unsigned source_of(const struct state *s)
{
    return s->control >> 8 & 3;
}

static bool counts_pin(const struct state *s)
{
    return source_of(s) == SOURCE_PIN || source_of(s) == SOURCE_INVERSE_PIN;
}

static unsigned clock_of(const struct state *s)
{
    return source_of(s) == SOURCE_ACLK ? MSP430_ACLK : MSP430_SMCLK;
}

static uint64_t source_cycle(const struct node *n, const struct state *s)
{
    return counts_pin(s) ? s->edges : node_cycle(n, clock_of(s));
}

static unsigned divider_shift(const struct state *s)
{
    return s->control >> 6 & 3;
}

static void look(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    uint64_t now = source_cycle(n, s), shift = divider_shift(s);
    counter_run(&s->counter, ((now - s->base) >> shift) - ((s->last - s->base) >> shift), 0, 0);
    s->last = now;
}

/* ---- inputs ---- */

static uint8_t input_of(const struct msp430_timer *c, const struct state *s, unsigned block)
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

static bool input_level(const struct node *n, const struct msp430_timer *c, const struct state *s, unsigned block)
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

static unsigned edges_of(const struct state *s, unsigned block)
{
    return s->block_control[block] & CAP ? s->block_control[block] >> 14 : 0;
}

static void capture(struct state *s, unsigned block)
{
    if ((s->block_control[block] & SCS) && !counter_halted(&s->counter))
        s->counter.sampling |= (uint8_t)(1u << block);
    else
        counter_capture(&s->counter, block);
}

/* The input of a block may have changed; `armed` are the edges at which it captures. Edges of ACLK have events. */
static void sense(struct node *n, const struct device *d, unsigned block, unsigned armed)
{
    struct state *s = device_state(n, d);
    bool level = input_level(n, config_of(d), s, block), old = s->counter.inputs >> block & 1;
    if (level == old)
        return;
    s->counter.inputs ^= (uint8_t)(1u << block);
    bool aclk = input_of(config_of(d), s, block) == MSP430_TIMER_ACLK;
    if (!aclk && (armed & (level ? EDGE_RISING : EDGE_FALLING)))
        capture(s, block);
}

static bool captures_aclk(const struct msp430_timer *c, const struct state *s, unsigned block, unsigned edges)
{
    return (edges_of(s, block) & edges) && input_of(c, s, block) == MSP430_TIMER_ACLK;
}

/* ---- what the rest of the chip sees ---- */

static uint8_t enabled_flags(const struct msp430_timer *c, const struct state *s)
{
    unsigned mask = s->control & IE ? COUNTER_OVERFLOW : 0;
    for (unsigned i = 0; i < c->blocks; i++)
        mask |= (unsigned)((s->block_control[i] & CCIE) != 0) << i;
    return (uint8_t)mask;
}

static uint8_t watched(const struct state *s, enum msp430_timer_signal signal)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < COUNTER_BLOCKS; i++)
        mask |= (unsigned)(s->watchers[signal][i].device != 0) << i;
    return (uint8_t)mask;
}

static uint8_t visible_outputs(const struct node *n, const struct msp430_timer *c, const struct state *s)
{
    unsigned mask = watched(s, MSP430_TIMER_OUT);
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
    const struct device *who = &n->machine->devices[w.device - 1];
    who->type->input(n, who, w.role, level);
}

static void tell_outputs(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
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
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    unsigned risen = s->counter.flags & ~s->told_flags & ~COUNTER_OVERFLOW;
    s->told_flags = s->counter.flags;
    for (unsigned i = 0; risen >> i; i++)
        if (risen >> i & 1)
            tell_watcher(n, s->watchers[MSP430_TIMER_FLAG][i], true);
    unsigned asks = s->counter.flags & enabled_flags(c, s);
    node_irq(n, c->line_0, asks & 1);
    node_irq(n, c->line, asks & ~1u);
}

/* The event for what is visible next. */
static void schedule(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    uint8_t flags = (enabled_flags(c, s) | watched(s, MSP430_TIMER_FLAG)) & (uint8_t)~s->counter.flags;
    uint8_t outputs = visible_outputs(n, c, s);
    uint64_t clocks = UINT64_MAX, shift = divider_shift(s);
    if ((flags || outputs) && !counts_pin(s)) {
        struct counter ahead = s->counter;
        clocks = counter_run(&ahead, UINT64_MAX, flags, outputs);
    }
    event_at(n, d, EVENT_VISIBLE, clock_of(s),
             clocks == UINT64_MAX ? NEVER : s->base + ((((s->last - s->base) >> shift) + clocks) << shift));
}

static void schedule_aclk(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = config_of(d);
    const struct state *s = device_state(n, d);
    bool any = false;
    for (unsigned i = 0; i < c->blocks; i++)
        any |= captures_aclk(c, s, i, EDGE_RISING | EDGE_FALLING);
    if (!any)
        event_cancel(n, d, EVENT_ACLK_RISES);
    else if (!event_pending(n, d, EVENT_ACLK_RISES))
        event_in(n, d, EVENT_ACLK_RISES, MSP430_ACLK, 1);
}

/* Whatever has been changed shows. Who watches may act on the timer in turn, so flags and outputs come last. */
static void settle(struct node *n, const struct device *d)
{
    schedule(n, d);
    schedule_aclk(n, d);
    tell_outputs(n, d);
    tell_flags(n, d);
}

/* ---- events, pins ---- */

static void aclk_edge(struct node *n, const struct device *d, enum edge edge)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
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
        event_in(n, d, EVENT_ACLK_FALLS, CLOCK_TICK, (n->state->clocks[MSP430_ACLK].period / 2) >> 32);
}

static void event(struct node *n, const struct device *d, unsigned event)
{
    look(n, d);
    if (event != EVENT_VISIBLE)
        aclk_edge(n, d, event == EVENT_ACLK_RISES ? EDGE_RISING : EDGE_FALLING);
    settle(n, d);
}

static void sense_clock(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    if (!counts_pin(s))
        return;
    bool level = msp430_port_input(n, source_of(s) == SOURCE_PIN ? c->clock_pin : c->inverse_pin);
    if (level && !s->clock_level)
        s->edges++;
    s->clock_level = level;
}

/* An edge of the clock pin counts before what else happens at the same time. */
static void input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct state *s = device_state(n, d);
    (void)level;
    if (role == ROLE_CLOCK_PIN || role == ROLE_INVERSE_PIN)
        sense_clock(n, d);
    look(n, d);
    if (role < ROLE_CLOCK_PIN)
        sense(n, d, role / 2, edges_of(s, role / 2));
    settle(n, d);
}

/* ---- registers ---- */

static void read_block_control(struct node *n, const struct device *d, unsigned block)
{
    const struct msp430_timer *c = config_of(d);
    const struct state *s = device_state(n, d);
    unsigned value = s->block_control[block];
    value |= s->counter.flags >> block & 1 ? CCIFG : 0u;
    value |= s->counter.overrun >> block & 1 ? COV : 0u;
    value |= input_level(n, c, s, block) ? CCI : 0u;
    value |= !c->latches && (s->counter.sampled >> block & 1) ? SCCI : 0u;
    word_set(n, (uint16_t)(c->block_control + 2 * block), value);
}

/* TAIV: the most urgent flag whose interrupt is enabled; any access clears it (11.2.6). */
static unsigned take_vector(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    unsigned asks = s->counter.flags & enabled_flags(c, s) & ~1u;
    if (!asks)
        return 0;
    unsigned first = (unsigned)__builtin_ctz(asks);
    s->counter.flags &= (uint8_t) ~(1u << first);
    settle(n, d);
    return 1u << first == COUNTER_OVERFLOW ? c->overflow_vector : 2 * first;
}

static void read(struct node *n, const struct device *d, unsigned role)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    look(n, d);
    if (role == ROLE_CONTROL) {
        word_set(n, c->control, s->control | (s->counter.flags & COUNTER_OVERFLOW ? IFG : 0u));
    } else if (role == ROLE_COUNT) {
        word_set(n, c->count, s->counter.count);
    } else if (role == ROLE_VECTOR) {
        word_set(n, c->vector, take_vector(n, d));
    } else if (role >= ROLE_COMPARE) {
        unsigned block = role - ROLE_COMPARE;
        s->counter.unread &= (uint8_t) ~(1u << block);
        word_set(n, (uint16_t)(c->compare + 2 * block), s->counter.compare[block]);
    } else {
        read_block_control(n, d, role - ROLE_BLOCK_CONTROL);
    }
}

/* How compare latches load: by their own CLLD or, grouped by TBCLGRP, by that of one of the group (table 12-3). */
static void configure_loading(const struct msp430_timer *c, struct state *s)
{
    static const uint8_t groups[4][3] = {{0}, {0x06, 0x18, 0x60}, {0x0e, 0x70}, {0x7f}};
    struct counter *k = &s->counter;
    unsigned setting = s->control >> 13 & 3;
    for (unsigned i = 0; i < c->blocks && c->latches; i++) {
        unsigned group = 0;
        for (unsigned j = 0; j < 3; j++)
            if (groups[setting][j] >> i & 1)
                group = groups[setting][j];
        unsigned controller = group == 0x7f ? 1 : group ? (unsigned)__builtin_ctz(group) : i;
        k->load[i] = s->block_control[controller] >> 9 & 3;
        k->controller[i] = (uint8_t)controller;
        k->group[i] = k->load[i] == LOAD_AT_ONCE ? 0 : (uint8_t)group; /* "no compare latches are grouped" then */
    }
    counter_load_changed(k);
}

static void write_control(struct node *n, const struct device *d, unsigned value)
{
    static const uint16_t lengths[4] = {0xffff, 0x0fff, 0x03ff, 0x00ff};
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    struct counter *k = &s->counter;
    unsigned old_source = source_of(s);
    s->control = value & (c->latches ? CONTROL_B : CONTROL_A);
    k->flags = (uint8_t)((k->flags & ~COUNTER_OVERFLOW) | (value & IFG ? COUNTER_OVERFLOW : 0));
    k->mode = value >> 4 & 3;
    k->max = c->latches ? lengths[value >> 11 & 3] : 0xffff;
    if (value & CLR)
        k->count = 0;
    k->count &= k->max;
    if (k->count == 0 || k->mode != COUNTER_UP_DOWN)
        k->down = 0;
    if (source_of(s) != old_source) {
        uint64_t phase = s->last - s->base;
        s->last = source_cycle(n, s);
        s->base = s->last - phase % 8;
        if (counts_pin(s))
            s->clock_level = msp430_port_input(n, source_of(s) == SOURCE_PIN ? c->clock_pin : c->inverse_pin);
    }
    if (value & CLR)
        s->base = s->last;
    configure_loading(c, s);
}

/* A capture by software is a change of the selected input, from GND to VCC or back (11.2.4). */
static void write_block_control(struct node *n, const struct device *d, unsigned block, unsigned value)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    struct counter *k = &s->counter;
    uint8_t bit = (uint8_t)(1u << block);
    unsigned armed = edges_of(s, block);
    s->block_control[block] = value & (c->latches ? BLOCK_B : BLOCK_A);
    k->flags = (uint8_t)((k->flags & ~bit) | (value & CCIFG ? bit : 0));
    k->overrun = (uint8_t)((k->overrun & ~bit) | (value & COV ? bit : 0));
    k->captures = (uint8_t)((k->captures & ~bit) | (value & CAP ? bit : 0));
    k->output_mode[block] = value >> 5 & 7;
    if (k->output_mode[block] == 0)
        k->outputs = (uint8_t)((k->outputs & ~bit) | (value & OUT ? bit : 0));
    if (!(value & CAP))
        k->sampling &= (uint8_t)~bit;
    configure_loading(c, s);
    sense(n, d, block, armed ? edges_of(s, block) : 0);
}

static void sense_all(struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    for (unsigned i = 0; i < config_of(d)->blocks; i++)
        sense(n, d, i, edges_of(s, i));
}

static void write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct state *s = device_state(n, d);
    (void)old;
    if (role == ROLE_SEL)
        sense_clock(n, d);
    look(n, d);
    if (role == ROLE_CONTROL) {
        write_control(n, d, value);
    } else if (role == ROLE_COUNT) {
        s->counter.count = value & s->counter.max;
        s->counter.down &= s->counter.count != 0;
    } else if (role == ROLE_VECTOR) {
        take_vector(n, d);
    } else if (role == ROLE_SEL) {
        sense_all(n, d);
    } else if (role >= ROLE_COMPARE) {
        counter_set_compare(&s->counter, role - ROLE_COMPARE, (uint16_t)value);
    } else {
        write_block_control(n, d, role - ROLE_BLOCK_CONTROL, value);
    }
    settle(n, d);
}

/* CCIFG of block 0 is cleared as its interrupt is taken; the others have the vector register. */
static void acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    struct state *s = device_state(n, d);
    look(n, d);
    if (irq == 0)
        s->counter.flags &= (uint8_t)~1u;
    settle(n, d);
}

/* All registers outlive a PUC: the timer goes on counting. */
static void reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct msp430_timer *c = config_of(d);
    struct state *s = device_state(n, d);
    if (msp430_power_on_reset(cause)) {
        uint8_t told = s->told_outputs;
        memset(s, 0, sizeof *s);
        s->told_outputs = told;
        s->counter.blocks = c->blocks;
        s->counter.latches = c->latches;
        s->counter.max = 0xffff;
    }
    memset(s->watchers, 0, sizeof s->watchers);
    look(n, d);
    settle(n, d);
}

/* ---- wiring ---- */

static bool is_pin(unsigned input)
{
    return input < PIN_PORTS * 8;
}

static void wire_module_pin(struct wiring *w, const struct device *d, unsigned pin, unsigned role, uint64_t *sels)
{
    if (!is_pin(pin))
        return;
    wire_pin(w, d, pin, role);
    *sels |= UINT64_C(1) << pin / 8;
}

static void connect(const struct device *d, struct wiring *w)
{
    const struct msp430_timer *c = config_of(d);
    const unsigned mode = WIRE_WORD | WIRE_READ | WIRE_WRITE;
    uint64_t ports = 0;
    assert(c->blocks <= COUNTER_BLOCKS);
    wire_register(w, d, c->control, ROLE_CONTROL, mode, 0);
    wire_register(w, d, c->count, ROLE_COUNT, mode, 0);
    wire_register(w, d, c->vector, ROLE_VECTOR, mode, 0);
    wire_module_pin(w, d, c->clock_pin, ROLE_CLOCK_PIN, &ports);
    if (c->inverse_pin != c->clock_pin)
        wire_module_pin(w, d, c->inverse_pin, ROLE_INVERSE_PIN, &ports);
    wire_module_pin(w, d, c->high_pin, ROLE_HIGH_PIN, &ports);
    for (unsigned i = 0; i < c->blocks; i++) {
        wire_register(w, d, (uint16_t)(c->block_control + 2 * i), ROLE_BLOCK_CONTROL + i, mode, 0);
        wire_register(w, d, (uint16_t)(c->compare + 2 * i), ROLE_COMPARE + i, mode, 0);
        for (unsigned j = 0; j < 2; j++)
            wire_module_pin(w, d, c->block[i].inputs[j], 2 * i + j, &ports);
        for (unsigned j = 0; j < MSP430_TIMER_PINS; j++)
            if (c->block[i].outputs[j] != PIN_NONE)
                ports |= UINT64_C(1) << c->block[i].outputs[j] / 8;
    }
    for (unsigned port = 0; port < PIN_PORTS; port++)
        if (ports >> port & 1)
            wire_register(w, d, msp430_port_sel(w->machine, port * 8), ROLE_SEL, WIRE_WRITE, 0);
    wire_interrupt(w, d, c->line_0, 0);
    wire_interrupt(w, d, c->line, 1);
}

/* ---- for other devices ---- */

static const struct device *device_of(const struct node *n, const struct msp430_timer *timer)
{
    const struct machine *m = n->machine;
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].config == timer)
            return &m->devices[i];
    assert(!"a timer that is not on this chip");
    return NULL;
}

void msp430_timer_watch(struct node *n, const struct msp430_timer *timer, unsigned block,
                        enum msp430_timer_signal signal, const struct device *who, unsigned role)
{
    const struct device *d = device_of(n, timer);
    struct state *s = device_state(n, d);
    look(n, d);
    settle(n, d);
    s->watchers[signal][block] =
        (struct watcher){.device = who ? (uint8_t)(who->index + 1) : 0, .role = who ? (uint8_t)role : 0};
    settle(n, d);
}

bool msp430_timer_level(struct node *n, const struct msp430_timer *timer, unsigned block,
                        enum msp430_timer_signal signal)
{
    const struct device *d = device_of(n, timer);
    const struct state *s = device_state(n, d);
    look(n, d);
    return (signal == MSP430_TIMER_OUT ? s->counter.outputs : s->counter.flags) >> block & 1;
}

void msp430_timer_clear_flag(struct node *n, const struct msp430_timer *timer, unsigned block)
{
    const struct device *d = device_of(n, timer);
    struct state *s = device_state(n, d);
    look(n, d);
    s->counter.flags &= (uint8_t) ~(1u << block);
    settle(n, d);
}

bool msp430_timer_interrupts(const struct node *n, const struct msp430_timer *timer, unsigned block)
{
    const struct state *s = device_state(n, device_of(n, timer));
    return s->block_control[block] & CCIE;
}

void msp430_timer_input(struct node *n, const struct msp430_timer *timer, unsigned block, bool level)
{
    const struct device *d = device_of(n, timer);
    struct state *s = device_state(n, d);
    look(n, d);
    s->internal = (uint8_t)((s->internal & ~(1u << block)) | (unsigned)level << block);
    sense(n, d, block, edges_of(s, block));
    settle(n, d);
}

const struct device_type msp430_timer = {
    .name = "timer",
    .state_size = sizeof(struct state),
    .events = EVENTS,
    .connect = connect,
    .reset = reset,
    .event = event,
    .read = read,
    .write = write,
    .acknowledge = acknowledge,
    .input = input,
};
