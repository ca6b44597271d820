#include "device/msp430/timer.h"

#include <assert.h>
#include <string.h>

#include "device/msp430/clocks.h"
#include "device/msp430/port.h"
#include "device/msp430/reset.h"
#include "device/msp430/timer_state.h"
#include "device/msp430/words.h"
#include "node/wiring.h"

enum { ROLE_CONTROL, ROLE_COUNT, ROLE_VECTOR, ROLE_SEL, ROLE_BLOCK_CONTROL = 8, ROLE_COMPARE = 16 };

static const struct msp430_timer *msp430_timer_config_of(const struct device *d)
{
    return d->config;
}

/* ---- registers ---- */

static void read_block_control(struct node *n, const struct device *d, unsigned block)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
    const struct msp430_timer_state *s = device_state(n, d);
    unsigned value = s->block_control[block];
    value |= s->counter.flags >> block & 1 ? CCIFG : 0u;
    value |= s->counter.overrun >> block & 1 ? COV : 0u;
    value |= msp430_timer_input_level(n, c, s, block) ? CCI : 0u;
    value |= !c->latches && (s->counter.sampled >> block & 1) ? SCCI : 0u;
    word_set(n, (uint16_t)(c->block_control + 2 * block), value);
}

/* TAIV: the most urgent flag whose interrupt is enabled; any access clears it (11.2.6). */
static unsigned take_vector(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    unsigned asks = s->counter.flags & msp430_timer_enabled(c, s) & ~1u;
    if (!asks)
        return 0;
    unsigned first = (unsigned)__builtin_ctz(asks);
    s->counter.flags &= (uint8_t) ~(1u << first);
    msp430_timer_settle(n, d);
    return 1u << first == COUNTER_OVERFLOW ? c->overflow_vector : 2 * first;
}

static void msp430_timer_read(struct node *n, const struct device *d, unsigned role)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    msp430_timer_look(n, d);
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

/* ---- what loops that wait will read (device_type.outlook) ---- */

static uint64_t msp430_timer_tick_of(const struct node *n, const struct msp430_timer_state *s, uint64_t clocks)
{
    unsigned shift = s->control >> 6 & 3;
    uint64_t cycle = s->base + ((((s->last - s->base) >> shift) + clocks) << shift);
    const struct clock *c = &n->state->clocks[msp430_timer_source(s) == SOURCE_ACLK ? MSP430_ACLK : MSP430_SMCLK];
    return clocks == UINT64_MAX ? NEVER : clock_tick_of(c, cycle);
}

/* TAR, up to the next clock or as long as it rises with each cycle of the CPU. */
static bool msp430_timer_outlook_count(const struct node *n, const struct device *d,
                                       const struct msp430_timer_state *now, struct outlook *o)
{
    const struct clock *cpu = &n->state->clocks[CLOCK_CPU], *io = &n->state->clocks[MSP430_SMCLK];
    bool read = word_get(n, msp430_timer_config_of(d)->count) == now->counter.count;
    bool in_step = msp430_timer_source(now) == SOURCE_SMCLK && !(now->control >> 6 & 3) && cpu->period == io->period &&
                   (cpu->period == CLOCK_ONE || cpu->base_tick == io->base_tick);
    uint64_t rises = in_step ? counter_rises(&now->counter) : 0;
    if (counter_halted(&now->counter))
        return read;
    o->until = msp430_timer_tick_of(n, now, rises + 1);
    if (!rises)
        return read;
    *o = (struct outlook){OUTLOOK_COUNTS, now->counter.count, 2, o->until};
    return true;
}

static bool msp430_timer_outlook(const struct node *n, const struct device *d, unsigned role, struct outlook *o)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
    struct msp430_timer_state now = *(const struct msp430_timer_state *)device_state(n, d);
    unsigned shift = now.control >> 6 & 3;
    uint64_t cycle = msp430_timer_source_cycle(n, &now);
    if (msp430_timer_counts_pin(&now) || now.counter.sampling || cycle < now.last)
        return false;
    counter_run(&now.counter, ((cycle - now.base) >> shift) - ((now.last - now.base) >> shift), 0, 0);
    now.last = cycle;
    if (role == ROLE_COUNT)
        return msp430_timer_outlook_count(n, d, &now, o);
    if (role != ROLE_CONTROL && (role < ROLE_BLOCK_CONTROL || role >= ROLE_COMPARE))
        return false;
    unsigned block = role - ROLE_BLOCK_CONTROL;
    uint8_t flag = role == ROLE_CONTROL ? COUNTER_OVERFLOW : (uint8_t)(1u << block);
    uint16_t kept = word_get(n, role == ROLE_CONTROL ? c->control : (uint16_t)(c->block_control + 2 * block));
    bool steady_input = role == ROLE_CONTROL || now.block_control[block] >> 13 & 1 ||
                        c->block[block].inputs[now.block_control[block] >> 12 & 1] != MSP430_TIMER_ACLK;
    if (now.counter.flags & flag || kept & (role == ROLE_CONTROL ? IFG : CCIFG) || !steady_input)
        return false;
    struct counter ahead = now.counter;
    o->until = msp430_timer_tick_of(n, &now, counter_run(&ahead, UINT64_MAX, flag, 0));
    return true;
}

/* How compare latches load: by their own CLLD or, grouped by TBCLGRP, by that of one of the group (table 12-3). */
static void configure_loading(const struct msp430_timer *c, struct msp430_timer_state *s)
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

static void msp430_timer_write_control(struct node *n, const struct device *d, unsigned value)
{
    static const uint16_t lengths[4] = {0xffff, 0x0fff, 0x03ff, 0x00ff};
    const struct msp430_timer *c = msp430_timer_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    struct counter *k = &s->counter;
    unsigned old_source = msp430_timer_source(s);
    s->control = value & (c->latches ? CONTROL_B : CONTROL_A);
    k->flags = (uint8_t)((k->flags & ~COUNTER_OVERFLOW) | (value & IFG ? COUNTER_OVERFLOW : 0));
    k->mode = value >> 4 & 3;
    k->max = c->latches ? lengths[value >> 11 & 3] : 0xffff;
    if (value & CLR)
        k->count = 0;
    k->count &= k->max;
    if (k->count == 0 || k->mode != COUNTER_UP_DOWN)
        k->down = 0;
    if (msp430_timer_source(s) != old_source) {
        uint64_t phase = s->last - s->base;
        s->last = msp430_timer_source_cycle(n, s);
        s->base = s->last - phase % 8;
        if (msp430_timer_counts_pin(s))
            s->clock_level = msp430_port_input(n, msp430_timer_source(s) == SOURCE_PIN ? c->clock_pin : c->inverse_pin);
    }
    if (value & CLR)
        s->base = s->last;
    configure_loading(c, s);
}

/* A capture by software is a change of the selected input, from GND to VCC or back (11.2.4). */
static void write_block_control(struct node *n, const struct device *d, unsigned block, unsigned value)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    struct counter *k = &s->counter;
    uint8_t bit = (uint8_t)(1u << block);
    unsigned armed = msp430_timer_edges(s, block);
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
    msp430_timer_sense(n, d, block, armed ? msp430_timer_edges(s, block) : 0);
}

static void sense_all(struct node *n, const struct device *d)
{
    const struct msp430_timer_state *s = device_state(n, d);
    for (unsigned i = 0; i < msp430_timer_config_of(d)->blocks; i++)
        msp430_timer_sense(n, d, i, msp430_timer_edges(s, i));
}

static void msp430_timer_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct msp430_timer_state *s = device_state(n, d);
    (void)old;
    if (role == ROLE_SEL)
        msp430_timer_sense_clock(n, d);
    msp430_timer_look(n, d);
    if (role == ROLE_CONTROL) {
        msp430_timer_write_control(n, d, value);
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
    msp430_timer_settle(n, d);
}

/* CCIFG of block 0 is cleared as its interrupt is taken; the others have the vector register. */
static void msp430_timer_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    struct msp430_timer_state *s = device_state(n, d);
    msp430_timer_look(n, d);
    if (irq == 0)
        s->counter.flags &= (uint8_t)~1u;
    msp430_timer_settle(n, d);
}

/* All registers outlive a PUC: the timer goes on counting. */
static void msp430_timer_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    if (msp430_power_on_reset(cause)) {
        uint8_t told = s->told_outputs;
        memset(s, 0, sizeof *s);
        s->told_outputs = told;
        s->counter.blocks = c->blocks;
        s->counter.latches = c->latches;
        s->counter.max = 0xffff;
    }
    memset(s->watchers, 0, sizeof s->watchers);
    msp430_timer_look(n, d);
    msp430_timer_settle(n, d);
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

static void msp430_timer_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
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
                        enum msp430_timer_signal signal, const struct device *watcher, unsigned role)
{
    const struct device *d = device_of(n, timer);
    struct msp430_timer_state *s = device_state(n, d);
    msp430_timer_look(n, d);
    msp430_timer_settle(n, d);
    s->watchers[signal][block] =
        (struct watcher){.device = watcher ? (uint8_t)(watcher->index + 1) : 0, .role = watcher ? (uint8_t)role : 0};
    msp430_timer_settle(n, d);
}

bool msp430_timer_level(struct node *n, const struct msp430_timer *timer, unsigned block,
                        enum msp430_timer_signal signal)
{
    const struct device *d = device_of(n, timer);
    const struct msp430_timer_state *s = device_state(n, d);
    msp430_timer_look(n, d);
    return (signal == MSP430_TIMER_OUT ? s->counter.outputs : s->counter.flags) >> block & 1;
}

void msp430_timer_clear_flag(struct node *n, const struct msp430_timer *timer, unsigned block)
{
    const struct device *d = device_of(n, timer);
    struct msp430_timer_state *s = device_state(n, d);
    msp430_timer_look(n, d);
    s->counter.flags &= (uint8_t) ~(1u << block);
    msp430_timer_settle(n, d);
}

bool msp430_timer_interrupts(const struct node *n, const struct msp430_timer *timer, unsigned block)
{
    const struct msp430_timer_state *s = device_state(n, device_of(n, timer));
    return s->block_control[block] & CCIE;
}

void msp430_timer_input(struct node *n, const struct msp430_timer *timer, unsigned block, bool level)
{
    const struct device *d = device_of(n, timer);
    struct msp430_timer_state *s = device_state(n, d);
    msp430_timer_look(n, d);
    s->internal = (uint8_t)((s->internal & ~(1u << block)) | (unsigned)level << block);
    msp430_timer_sense(n, d, block, msp430_timer_edges(s, block));
    msp430_timer_settle(n, d);
}

/* Of the cycles of its source, the phase of the divider is left; the pending events have what comes next. */
static void msp430_timer_canonical(struct node *n, const struct device *d)
{
    const struct msp430_timer *c = msp430_timer_config_of(d);
    struct msp430_timer_state *s = device_state(n, d);
    msp430_timer_look(n, d);
    s->base = (s->last - s->base) & ((UINT64_C(1) << (s->control >> 6 & 3)) - 1);
    s->last = s->edges = 0;
    word_set(n, c->count, 0); /* reads work them out */
    word_set(n, c->vector, 0);
}

const struct device_type msp430_timer = {
    .name = "timer",
    .state_size = sizeof(struct msp430_timer_state),
    .events = TIMER_EVENTS,
    .connect = msp430_timer_connect,
    .reset = msp430_timer_reset,
    .event = msp430_timer_event,
    .read = msp430_timer_read,
    .outlook = msp430_timer_outlook,
    .write = msp430_timer_write,
    .acknowledge = msp430_timer_acknowledge,
    .input = msp430_timer_pin,
    .canonical = msp430_timer_canonical,
};
