#include "device/avr/adc.h"
#include "device/avr/clocks.h"
#include "device/avr/timer_state.h"
#include "device/avr/usi.h"
#include "node/machine.h"
#include "node/pins.h"

/* ---- settings ---- */

unsigned timer_control(const struct timer_config *c, const struct timer_state *s, struct bits b)
{
    for (unsigned i = 0; i < TIMER_CONTROLS; i++)
        if (b.width && c->control[i] == b.reg)
            return (s->control[i] & bits_mask(b)) >> b.shift;
    return 0;
}

/* The channel is not one of PWM, though the timer may be in a PWM mode. */
static bool timer_plain(const struct timer_config *c, const struct timer_state *s, unsigned channel)
{
    return c->channel[channel].pwm.width && !timer_control(c, s, c->channel[channel].pwm);
}

static enum waveform_action action_of(const struct timer_config *c, unsigned mode, unsigned channel, unsigned output,
                                      bool plain)
{
    if (c->modes[mode].kind < WAVEFORM_FAST || output != 1 || plain)
        return (enum waveform_action)output;
    if (c->complements)
        return WAVEFORM_CLEARS;
    return channel == 0 && (c->toggle_modes >> mode) & 1 ? WAVEFORM_TOGGLES : WAVEFORM_DISCONNECTED;
}

/* A bit for each channel whose output is connected to its pin, and in the high nibble for each whose complement is. */
enum { OUTPUTS = 0x07, COMPLEMENTS = 4 };
static uint8_t connected_by(const struct timer_config *c, const struct timer_state *s)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        mask |= (unsigned)(s->wave.action[i] != WAVEFORM_DISCONNECTED) << i;
    for (unsigned i = 0; c->complements && i < WAVEFORM_CHANNELS; i++)
        if (c->channel[i].compare && !timer_plain(c, s, i) && timer_control(c, s, c->channel[i].output) == 1)
            mask |= 1u << (COMPLEMENTS + i);
    return (uint8_t)mask;
}

void timer_configure(const struct timer_config *c, struct timer_state *s)
{
    unsigned mode = 0, shift = 0;
    for (unsigned i = 0; i < TIMER_MODES; shift += c->mode[i++].width)
        mode |= timer_control(c, s, c->mode[i]) << shift;
    s->wave.plain = 0;
    s->wave.constant = c->constant ? 7 : 0;
    waveform_set_mode(&s->wave, c->modes[mode]);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++) {
        bool plain = timer_plain(c, s, i);
        s->wave.action[i] = (uint8_t)action_of(c, mode, i, timer_control(c, s, c->channel[i].output), plain);
        s->wave.plain |= (uint8_t)(plain << i);
        if (plain)
            s->wave.compare[i] = s->wave.buffer[i];
    }
    if (s->strobes) {
        s->wave.action[TIMER_STROBE] = WAVEFORM_TOGGLES;
        s->wave.compare[TIMER_STROBE] = s->wave.compare[0];
        s->wave.buffer[TIMER_STROBE] = s->wave.buffer[0];
    }
    s->connected = connected_by(c, s);
    s->divisor = c->divisors[timer_control(c, s, c->clock)];
}

void timer_take_control(const struct timer_config *c, struct timer_state *s, unsigned which, uint8_t value)
{
    s->control[which] = value;
    timer_configure(c, s);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        if (c->channel[i].force.reg == c->control[which] && (value & bits_mask(c->channel[i].force)))
            waveform_force(&s->wave, i);
}

void timer_clear(struct timer_state *s, unsigned flag)
{
    s->wave.flags &= (uint8_t) ~(1u << flag);
    s->fresh &= (uint8_t) ~(1u << flag);
}

/* "The output compare function is disabled during writing to OCR0 or TCNT0." */
void timer_disable(const struct timer_config *c, struct timer_state *s)
{
    unsigned disabled = s->pending_due[PENDING_COUNT] ? 7 : 0;
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        if (!c->channel[i].compare || s->pending_due[PENDING_COMPARE + i])
            disabled |= 1u << i;
    s->wave.disabled = (uint8_t)(s->strobes ? disabled & ~(1u << TIMER_STROBE) : disabled);
}

/* ---- time ---- */

static bool io_runs(const struct node *n)
{
    return n->state->clocks[CLOCK_IO].period != 0;
}

static bool counts_clock(const struct timer_state *s)
{
    return s->divisor != TIMER_STOPPED && s->divisor < TIMER_FALLING && !s->stopped;
}

/* The clocks of the prescaler up to and including the one at the beginning of the cycle `to`. */
static void timer_clock_advance(struct timer_state *s, uint64_t to)
{
    if (to <= s->last)
        return;
    uint64_t clocks = counts_clock(s) ? prescaler_ticks(&s->prescaler, s->divisor, s->last, to) : 0;
    if (clocks)
        waveform_run(&s->wave, clocks, 0, 0);
    s->last = to;
}

/* ---- what happens to a timer between two clocks ---- */

static void take_one(const struct timer_config *c, struct timer_state *s, unsigned kind)
{
    uint16_t value = s->pending_value[kind];
    s->pending_due[kind] = 0;
    s->pending_value[kind] = 0;
    timer_disable(c, s);
    if (kind == PENDING_COUNT) {
        s->wave.count = value;
        s->wave.blocked = 1;
    } else if (kind < PENDING_CONTROL) {
        waveform_set_compare(&s->wave, kind - PENDING_COMPARE, value);
    } else {
        timer_take_control(c, s, kind - PENDING_CONTROL, (uint8_t)value);
    }
}

static void take_capture(const struct timer_config *c, struct timer_state *s)
{
    bool level = sampler_take(&s->capture);
    if (level != timer_control(c, s, c->capture_edge) || s->wave.mode.top_from == WAVEFORM_TOP_CAPTURE || s->stopped)
        return;
    s->wave.capture = s->wave.count;
    s->wave.flags |= WAVEFORM_CAPTURED;
}

static void take_clock(struct timer_state *s)
{
    bool level = sampler_take(&s->clock);
    if (s->divisor == (level ? TIMER_RISING : TIMER_FALLING) && !s->stopped)
        waveform_run(&s->wave, 1, 0, 0);
}

/* The pending write due first, PENDING_KINDS if none is. */
static unsigned first_pending(const struct timer_state *s)
{
    unsigned first = PENDING_KINDS;
    for (unsigned i = 0; i < PENDING_KINDS; i++)
        if (s->pending_due[i] && (first == PENDING_KINDS || s->pending_due[i] < s->pending_due[first]))
            first = i;
    return first;
}

void timer_take_pending(const struct timer_config *c, struct timer_state *s)
{
    for (unsigned i = first_pending(s); i < PENDING_KINDS; i = first_pending(s))
        take_one(c, s, i);
}

static uint64_t pending_due(const struct timer_state *s)
{
    unsigned first = s->asynchronous ? first_pending(s) : PENDING_KINDS;
    return first == PENDING_KINDS ? NEVER : s->pending_due[first];
}

/* An edge of ICPn takes the count the clock finds, an edge of Tn is a clock. */
static void timer_clock_take_edges(const struct timer_config *c, struct timer_state *s, uint64_t to)
{
    for (;;) {
        uint64_t pending = pending_due(s), capture = sampler_due(&s->capture), clock = sampler_due(&s->clock);
        uint64_t next = capture < clock ? capture : clock;
        if (pending < next)
            next = pending;
        if (next > to)
            break;
        timer_clock_advance(s, next == capture ? next - 1 : next);
        if (next == capture)
            take_capture(c, s);
        else if (next == clock)
            take_clock(s);
        else
            take_one(c, s, first_pending(s));
    }
}

/* Brings everything to the cycle `to` of the timer's clock, in the order in which it happens. */
static void bring_to(const struct timer_config *c, struct timer_state *s, uint64_t to)
{
    if (s->asynchronous || s->capture.count || s->clock.count)
        timer_clock_take_edges(c, s, to);
    timer_clock_advance(s, to);
}

/* ---- the asynchronous timer ---- */

/* In a sleep without I/O clock: remembers what TCNT was at its beginning, and whether the interrupt logic was ready
 * ("The interrupt logic needs one TOSC1 cycle to be reset"). Writes under way wait for the clock ("the MCU will enter
 * sleep mode before the changes are effective"). */
static void look_asleep(struct node *n, const struct timer_config *c, struct timer_state *s)
{
    const struct clock *io = &n->state->clocks[CLOCK_IO], *asy = &n->state->clocks[AVR_CLOCK_ASY];
    for (unsigned i = 0; i < PENDING_KINDS; i++)
        if (s->pending_due[i])
            s->pending_due[i] = NEVER;
    if (s->slept != io->base_tick + 1) {
        uint64_t asleep = clock_cycle_at(asy, io->base_tick);
        s->deaf = s->roused && s->woken && clock_cycle_at(asy, s->woken) == asleep;
        s->roused = 0;
        s->slept = io->base_tick + 1;
        s->woken = 0;
        if (!s->external)
            bring_to(c, s, asleep);
        s->asleep_count = s->wave.count;
    }
    s->fresh = 0;
    bring_to(c, s, timer_now(n, s));
}

static void look_awake(struct node *n, const struct timer_config *c, struct timer_state *s)
{
    const struct clock *io = &n->state->clocks[CLOCK_IO], *asy = &n->state->clocks[AVR_CLOCK_ASY];
    uint64_t now = timer_now(n, s), io_now = node_cycle(n, CLOCK_IO);
    enum { FLAG_DELAY = 3 }; /* "the synchronization of the interrupt flags takes three processor cycles" */
    if (s->slept && !s->woken)
        s->woken = io->base_tick;
    for (unsigned i = 0; i < PENDING_KINDS; i++)
        if (s->pending_due[i] == NEVER)
            s->pending_due[i] = now + 2;
    if (io_now >= s->fresh_due)
        s->fresh = 0;
    if (!s->external && io_now > FLAG_DELAY)
        bring_to(c, s, clock_cycle_at(asy, clock_tick_of(io, io_now - FLAG_DELAY)));
    uint8_t before = s->wave.flags;
    bring_to(c, s, now);
    uint8_t raised = (uint8_t)(s->wave.flags & ~before);
    if (!raised)
        return;
    s->fresh |= raised;
    s->fresh_due = (s->external ? io_now : clock_cycle_at(io, clock_tick_of(asy, now))) + FLAG_DELAY;
}

void timer_look(struct node *n, const struct device *d)
{
    const struct timer_config *c = d->config;
    struct timer_state *s = device_state(n, d);
    if (!s->asynchronous)
        bring_to(c, s, timer_now(n, s));
    else if (io_runs(n))
        look_awake(n, c, s);
    else
        look_asleep(n, c, s);
}

void timer_pass(struct node *n, const struct device *d)
{
    struct timer_state *s = device_state(n, d);
    const struct clock *clocks = n->state->clocks;
    timer_look(n, d);
    if (s->fast)
        bring_to(
            d->config, s,
            clock_cycle_at(&clocks[AVR_CLOCK_FAST], clock_tick_of(&clocks[CLOCK_IO], node_cycle(n, CLOCK_IO) + 1)));
    else if (!s->asynchronous)
        bring_to(d->config, s, node_cycle(n, CLOCK_IO) + 1);
}

/* ---- telling the chip ---- */

/* The flags whose setting is visible at once: an interrupt or a trigger uses them. */
static inline uint8_t awaited(const struct node *n, const struct timer_config *c)
{
    unsigned mask = 0;
    bool adc = n->machine->triggered && c->adc[0] && n->data[c->adc[0]];
#pragma GCC unroll 5
    for (unsigned i = 0; i < TIMER_FLAGS; i++)
        mask |= bits_one(n, c->interrupt[i].enable) << i;
    for (unsigned i = 0; adc && i < TIMER_FLAGS; i++)
        mask |= (unsigned)avr_adc_awaits(n, c->interrupt[i].vector) << i;
    return (uint8_t)mask;
}

static bool deaf(const struct node *n, const struct timer_state *s)
{
    return s->asynchronous && s->deaf && !io_runs(n);
}

/* ---- complementary outputs ---- */

static void timer_put(struct node *n, unsigned pin, bool high)
{
    pin_set_compare(n, pin, high ? PIN_VALUE_HIGH : PIN_VALUE_LOW);
}

void timer_dead_time_over(struct node *n, const struct device *d, unsigned channel)
{
    const struct timer_config *c = d->config;
    const struct timer_state *s = device_state(n, d);
    bool high = (s->told_outputs >> channel) & 1;
    if ((s->told_connected >> (COMPLEMENTS + channel)) & 1)
        timer_put(n, high ? c->channel[channel].pin : c->channel[channel].complement, true);
}

/* One of the two falls at once; the other rises when the dead time is over. */
static void timer_drive_pair(struct node *n, const struct device *d, unsigned channel)
{
    const struct timer_config *c = d->config;
    const struct timer_state *s = device_state(n, d);
    const struct timer_channel *x = &c->channel[channel];
    bool high = (s->told_outputs >> channel) & 1;
    uint8_t times = x->dead ? n->data[x->dead] : 0;
    uint64_t dead = (uint64_t)(high ? times >> 4 : times & 15) << bits_get(n, c->dead_prescaler);
    timer_put(n, high ? x->complement : x->pin, false);
    if (dead) {
        timer_put(n, high ? x->pin : x->complement, false);
        event_in(n, d, TIMER_EVENT_DEAD + channel, timer_clock(s), dead);
    } else {
        event_cancel(n, d, TIMER_EVENT_DEAD + channel);
        timer_dead_time_over(n, d, channel);
    }
}

void timer_drive(struct node *n, const struct device *d, unsigned channel)
{
    const struct timer_config *c = d->config;
    const struct timer_state *s = device_state(n, d);
    const struct timer_modulator *m = &c->channel[channel].modulator;
    bool on = (s->told_connected >> channel) & 1, high = (s->told_outputs >> channel) & 1;
    if ((s->told_connected >> (COMPLEMENTS + channel)) & 1) {
        timer_drive_pair(n, d, channel);
        return;
    }
    if (c->complements) {
        event_cancel(n, d, TIMER_EVENT_DEAD + channel);
        pin_set_compare(n, c->channel[channel].complement, PIN_NO_OVERRIDE);
    }
    if (m->partner) {
        const struct timer_state *p = device_state(n, timer_find(n, m->partner));
        bool other = (p->told_outputs >> m->channel) & 1;
        if ((p->told_connected >> m->channel) & 1) {
            high = !on ? other : bits_get(n, m->port) ? high || other : high && other;
            on = true;
        }
    }
    pin_set_compare(n, c->channel[channel].pin, !on ? PIN_NO_OVERRIDE : high ? PIN_VALUE_HIGH : PIN_VALUE_LOW);
}

static void timer_clock_tell_outputs(struct node *n, const struct device *d, struct timer_state *s)
{
    uint8_t on = s->connected, turned = s->told_connected ^ on;
    unsigned changed = ((turned | turned >> COMPLEMENTS) & OUTPUTS) | ((s->told_outputs ^ s->wave.outputs) & on);
    bool strobe = s->strobes && ((s->told_outputs ^ s->wave.outputs) >> TIMER_STROBE & 1);
    s->told_connected = on;
    s->told_outputs = s->wave.outputs;
    if (strobe)
        avr_usi_timer_match(n);
    for (unsigned i = 0; changed >> i; i++)
        if ((changed >> i) & 1 && ((const struct timer_config *)d->config)->channel[i].compare)
            timer_drive(n, d, i);
}

void timer_tell(struct node *n, const struct device *d)
{
    const struct timer_config *c = d->config;
    struct timer_state *s = device_state(n, d);
    if (s->told_connected != s->connected || s->told_outputs != s->wave.outputs)
        timer_clock_tell_outputs(n, d, s);
    uint8_t flags = s->wave.flags & (uint8_t)~s->fresh, changed = flags ^ s->told_flags;
    if (!changed || deaf(n, s))
        return;
    s->told_flags = flags;
    if (s->asynchronous && !io_runs(n) && (changed & flags & awaited(n, c)))
        s->roused = 1;
    for (unsigned left = changed; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        avr_interrupt_flag(n, &c->interrupt[i], (flags >> i) & 1);
    }
}

/* The cycle of the timer's clock in which something happens that needs an event, `next` at the latest. */
static inline uint64_t next_visible(const struct timer_state *s, uint8_t flags, uint64_t next)
{
    uint8_t connections = s->connected, on = connections & OUTPUTS;
    if (((s->wave.flags ^ s->fresh ^ s->told_flags) & flags) || connections != s->told_connected ||
        ((s->wave.outputs ^ s->told_outputs) & on))
        return s->last;
    if ((flags & WAVEFORM_CAPTURED) && sampler_due(&s->capture) < next)
        next = sampler_due(&s->capture);
    if ((flags || on) && sampler_due(&s->clock) < next)
        next = sampler_due(&s->clock);
    flags &= (uint8_t)~s->wave.flags; /* what is up rises no more */
    if ((flags || on) && counts_clock(s)) {
        uint64_t clocks = waveform_until(&s->wave, flags, on);
        uint64_t cycle = prescaler_cycle(&s->prescaler, s->divisor, s->last, clocks);
        if (cycle < next)
            next = cycle;
    }
    return next;
}

static void timer_clock_settle_asynchronous(struct node *n, const struct device *d, uint8_t flags)
{
    struct timer_state *s = device_state(n, d);
    uint64_t next = next_visible(s, deaf(n, s) ? 0 : flags, pending_due(s));
    /* A flag on its way when SLEEP stops the I/O clock would not arrive by that; it wakes the CPU by the timer's own.
     */
    if (!s->external && (s->fresh & flags) && timer_now(n, s) + 1 < next)
        next = timer_now(n, s) + 1;
    event_at(n, d, TIMER_EVENT_CLOCK, AVR_CLOCK_ASY, s->external ? NEVER : next);
    /* A clock that is stopped keeps this event until it runs again: so also the deaf timer is heard in the end. */
    if ((s->fresh & flags) || deaf(n, s))
        event_at(n, d, TIMER_EVENT_FLAGS, CLOCK_IO, s->fresh ? s->fresh_due : node_cycle(n, CLOCK_IO) + 1);
    else
        event_cancel(n, d, TIMER_EVENT_FLAGS);
}

void timer_settle(struct node *n, const struct device *d)
{
    struct timer_state *s = device_state(n, d);
    uint8_t flags = awaited(n, d->config);
    if (s->last <= timer_now(n, s))
        timer_tell(n, d);
    if (s->asynchronous) {
        timer_clock_settle_asynchronous(n, d, flags);
    } else {
        event_at(n, d, TIMER_EVENT_CLOCK, timer_clock(s), next_visible(s, flags, NEVER));
        event_cancel(n, d, TIMER_EVENT_FLAGS);
    }
}

void timer_settle_soon(struct node *n, const struct device *d)
{
    event_in(n, d, TIMER_EVENT_FLAGS, CLOCK_IO, 0);
}

/* ---- others ---- */

const struct device *timer_find(const struct node *n, const struct timer_config *config)
{
    const struct machine *m = n->machine;
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].config == config)
            return &m->devices[i];
    return NULL;
}
