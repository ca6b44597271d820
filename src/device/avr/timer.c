#include "device/avr/timer.h"

#include <string.h>

#include "device/avr/clocks.h"
#include "device/avr/timer_state.h"
#include "node/pins.h"

/* ATmega128, Tables 52, 61 and 64; ATmega328P, Tables 15-8 and 16-4. Reserved modes count as normal mode. */
#define FIXED(kind_, top_)                                             \
    {                                                                  \
        .kind = (kind_), .top_from = WAVEFORM_TOP_FIXED, .top = (top_) \
    }
#define COMPARE(kind_)                                    \
    {                                                     \
        .kind = (kind_), .top_from = WAVEFORM_TOP_COMPARE \
    }
#define CAPTURE(kind_)                                    \
    {                                                     \
        .kind = (kind_), .top_from = WAVEFORM_TOP_CAPTURE \
    }

const struct waveform_mode timer_modes_8[8] = {
    FIXED(WAVEFORM_NORMAL, 0xff), FIXED(WAVEFORM_PHASE, 0xff), COMPARE(WAVEFORM_CLEAR),      FIXED(WAVEFORM_FAST, 0xff),
    FIXED(WAVEFORM_NORMAL, 0xff), COMPARE(WAVEFORM_PHASE),     FIXED(WAVEFORM_NORMAL, 0xff), COMPARE(WAVEFORM_FAST),
};

const struct waveform_mode timer_modes_16[16] = {
    FIXED(WAVEFORM_NORMAL, 0xffff),
    FIXED(WAVEFORM_PHASE, 0xff),
    FIXED(WAVEFORM_PHASE, 0x1ff),
    FIXED(WAVEFORM_PHASE, 0x3ff),
    COMPARE(WAVEFORM_CLEAR),
    FIXED(WAVEFORM_FAST, 0xff),
    FIXED(WAVEFORM_FAST, 0x1ff),
    FIXED(WAVEFORM_FAST, 0x3ff),
    CAPTURE(WAVEFORM_PHASE_FREQUENCY),
    COMPARE(WAVEFORM_PHASE_FREQUENCY),
    CAPTURE(WAVEFORM_PHASE),
    COMPARE(WAVEFORM_PHASE),
    CAPTURE(WAVEFORM_CLEAR),
    FIXED(WAVEFORM_NORMAL, 0xffff),
    CAPTURE(WAVEFORM_FAST),
    COMPARE(WAVEFORM_FAST),
};

/* ATtiny25/45/85, table 12-1 and section 12.2.2: PWM1A, CTC1, PWM1B from bit 0. */
const struct waveform_mode timer_modes_tiny[8] = {
    FIXED(WAVEFORM_NORMAL, 0xff), CAPTURE(WAVEFORM_FAST), CAPTURE(WAVEFORM_CLEAR), CAPTURE(WAVEFORM_FAST),
    CAPTURE(WAVEFORM_FAST),       CAPTURE(WAVEFORM_FAST), CAPTURE(WAVEFORM_FAST),  CAPTURE(WAVEFORM_FAST),
};

/* ATmega16U4/32U4, table 15-5: WGM41:40, PWM4B, PWM4A, PWM4D from bit 0. Without PWM the counter runs to OCR4C too. */
#define FAST_OR_PHASE \
    CAPTURE(WAVEFORM_FAST), CAPTURE(WAVEFORM_PHASE_FREQUENCY), CAPTURE(WAVEFORM_FAST), CAPTURE(WAVEFORM_PHASE_FREQUENCY)
const struct waveform_mode timer_modes_u4[32] = {
    CAPTURE(WAVEFORM_FAST), CAPTURE(WAVEFORM_FAST), CAPTURE(WAVEFORM_FAST), CAPTURE(WAVEFORM_FAST),
    FAST_OR_PHASE,          FAST_OR_PHASE,          FAST_OR_PHASE,          FAST_OR_PHASE,
    FAST_OR_PHASE,          FAST_OR_PHASE,          FAST_OR_PHASE,
};

const uint16_t timer_divisors_fast[16] = {TIMER_STOPPED, 1,   2,   4,    8,    16,   32,   64,
                                          128,           256, 512, 1024, 2048, 4096, 8192, 16384};
const uint16_t timer_divisors[8] = {TIMER_STOPPED, 1, 8, 64, 256, 1024, TIMER_FALLING, TIMER_RISING};
const uint16_t timer_divisors_asynchronous[8] = {TIMER_STOPPED, 1, 8, 32, 64, 128, 256, 1024};

enum role {
    ROLE_CONTROL, /* and the four after it */
    ROLE_COUNT_LOW = TIMER_CONTROLS,
    ROLE_COUNT_HIGH,
    ROLE_CAPTURE_LOW,
    ROLE_CAPTURE_HIGH,
    ROLE_COMPARE_LOW, /* by channel */
    ROLE_COMPARE_HIGH = ROLE_COMPARE_LOW + WAVEFORM_CHANNELS,
    ROLE_TOP = ROLE_COMPARE_HIGH + WAVEFORM_CHANNELS,
    ROLE_HIGH,
    ROLE_ENABLE,
    ROLE_FLAGS,      /* in the register of the overflow flag */
    ROLE_MORE_FLAGS, /* in that of compare match C, where it is another (ATmega128) */
    ROLE_PRESCALER,
    ROLE_POWER,
    ROLE_ASYNCHRONOUS,
    ROLE_FAST,
    ROLE_STROBE,
    ROLE_OTHERS,    /* registers of the ADC and the analog comparator */
    ROLE_MODULATOR, /* by channel */
};

enum { ROLE_CLOCK_PIN, ROLE_CAPTURE_PIN, ROLE_OSCILLATOR_PIN };

/* ---- wiring ---- */

/* Claims bits of several fields, each register once. */
struct claims {
    unsigned count;
    struct {
        uint16_t reg;
        uint8_t mask;
    } of[TIMER_FLAGS];
};

static void claim(struct claims *all, struct bits b)
{
    if (!b.width)
        return;
    unsigned i = 0;
    while (i < all->count && all->of[i].reg != b.reg)
        i++;
    all->of[i].reg = b.reg;
    all->of[i].mask |= bits_mask(b);
    if (i == all->count)
        all->count++;
}

static void wire_control(struct wiring *w, const struct device *d)
{
    const struct timer_config *c = d->config;
    struct claims all = {0};
    for (unsigned i = 0; i < TIMER_MODES; i++)
        claim(&all, c->mode[i]);
    claim(&all, c->clock);
    claim(&all, c->noise_canceller);
    claim(&all, c->capture_edge);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        claim(&all, c->channel[i].output);
    for (unsigned i = 0; i < TIMER_CONTROLS; i++) {
        uint8_t mask = c->kept[i];
        for (unsigned j = 0; j < all.count; j++)
            if (all.of[j].reg == c->control[i])
                mask |= all.of[j].mask;
        if (c->control[i]) /* the strobes FOCnx are not stored */
            wire_register(w, d, c->control[i], ROLE_CONTROL + i, WIRE_STORE, mask);
    }
}

static void wire_word(struct wiring *w, const struct device *d, uint16_t low, unsigned role_low, unsigned role_high,
                      unsigned mode)
{
    const struct timer_config *c = d->config;
    if (!low)
        return;
    wire_register(w, d, low, role_low, mode, 0xff);
    if (c->wide)
        wire_register(w, d, low + 1, role_high, mode, 0xff);
}

static void avr_timer_wire_channel(struct wiring *w, const struct device *d, unsigned i)
{
    const struct timer_config *c = d->config;
    const struct timer_channel *channel = &c->channel[i];
    wire_word(w, d, channel->compare, ROLE_COMPARE_LOW + i, ROLE_COMPARE_HIGH + i,
              c->high ? WIRE_READ | WIRE_WRITE : WIRE_WRITE);
    if (channel->dead)
        wire_register(w, d, channel->dead, 0, WIRE_PLAIN, 0xff);
    if (!channel->modulator.partner)
        return;
    wire_register(w, d, channel->modulator.port.reg, ROLE_MODULATOR + i, WIRE_WRITE, 0);
    if (channel->modulator.toggle.width)
        wire_register(w, d, channel->modulator.toggle.reg, ROLE_MODULATOR + i, WIRE_WRITE, 0);
}

static void wire_field(struct wiring *w, const struct device *d, struct bits b, unsigned role, unsigned mode,
                       uint8_t mask)
{
    if (b.width)
        wire_register(w, d, b.reg, role, mode, mask);
}

static void avr_timer_connect(const struct device *d, struct wiring *w)
{
    const struct timer_config *c = d->config;
    struct claims enables = {0}, flags = {0};
    wire_control(w, d);
    wire_register(w, d, c->count, ROLE_COUNT_LOW, WIRE_READ | WIRE_WRITE, 0xff);
    if (c->wide)
        wire_register(w, d, c->count + 1, ROLE_COUNT_HIGH, WIRE_READ | WIRE_WRITE, 0xff);
    wire_word(w, d, c->capture, ROLE_CAPTURE_LOW, ROLE_CAPTURE_HIGH, WIRE_READ | WIRE_WRITE);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        avr_timer_wire_channel(w, d, i);
    for (unsigned i = 0; i < TIMER_FLAGS; i++) {
        avr_interrupt_wire(w, d, &c->interrupt[i], i);
        claim(&enables, c->interrupt[i].enable);
        claim(&flags, c->interrupt[i].flag);
    }
    for (unsigned i = 0; i < enables.count; i++)
        wire_register(w, d, enables.of[i].reg, ROLE_ENABLE, WIRE_STORE, enables.of[i].mask);
    for (unsigned i = 0; i < flags.count; i++)
        wire_register(w, d, flags.of[i].reg, ROLE_FLAGS + i, WIRE_READ | WIRE_WRITE, flags.of[i].mask);
    wire_field(w, d, c->prescaler_reset, ROLE_PRESCALER, WIRE_STORE | (c->asynchronous.width ? WIRE_READ : 0),
               bits_mask(c->prescaler_reset) | bits_mask(c->synchronisation));
    wire_field(w, d, c->power_reduction, ROLE_POWER, WIRE_STORE, bits_mask(c->power_reduction));
    wire_field(w, d, c->asynchronous, ROLE_ASYNCHRONOUS, WIRE_STORE | WIRE_READ,
               bits_mask(c->asynchronous) | bits_mask(c->external_clock));
    wire_field(w, d, c->capture_comparator, ROLE_OTHERS, WIRE_WRITE, 0);
    if (c->top)
        wire_register(w, d, c->top, ROLE_TOP, WIRE_WRITE, 0xff);
    if (c->high)
        wire_register(w, d, c->high, ROLE_HIGH, WIRE_READ | WIRE_WRITE, 0x03);
    if (c->dead_prescaler.width)
        wire_register(w, d, c->dead_prescaler.reg, 0, WIRE_PLAIN, bits_mask(c->dead_prescaler));
    wire_field(w, d, c->fast, ROLE_FAST, WIRE_WRITE, 0);
    wire_field(w, d, c->strobe, ROLE_STROBE, WIRE_WRITE, 0);
    for (unsigned i = 0; i < 2; i++)
        if (c->adc[i])
            wire_register(w, d, c->adc[i], ROLE_OTHERS, WIRE_WRITE, 0);
    if (c->divisors[7] == TIMER_RISING)
        wire_pin(w, d, c->clock_pin, ROLE_CLOCK_PIN);
    if (c->capture)
        wire_pin(w, d, c->capture_pin, ROLE_CAPTURE_PIN);
    if (c->external_clock.width)
        wire_pin(w, d, c->oscillator_pin, ROLE_OSCILLATOR_PIN);
}

static void avr_timer_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    const struct timer_config *c = d->config;
    struct timer_state *s = device_state(n, d);
    (void)cause;
    memset(s, 0, sizeof *s);
    s->last = s->prescaler.base = timer_now(n, s);
    s->wave.max = c->wide ? 0xffff : c->high ? 0x3ff : 0xff;
    if (c->top)
        n->data[c->top] = s->wave.capture = 0xff;
    timer_disable(c, s);
    timer_configure(c, s);
    if (c->divisors[7] == TIMER_RISING)
        sampler_settle(&s->clock, pin_level(n, c->clock_pin));
    if (c->capture)
        sampler_settle(&s->capture, pin_level(n, c->capture_pin));
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        if (c->channel[i].compare) {
            pin_set_compare(n, c->channel[i].pin, PIN_NO_OVERRIDE);
            if (c->complements)
                pin_set_compare(n, c->channel[i].complement, PIN_NO_OVERRIDE);
        }
}

/* ---- reading ---- */

/* "TCNT0 will read as the previous value (before entering sleep) until the next rising TOSC1 edge." */
static uint16_t read_count(const struct node *n, const struct timer_state *s)
{
    const struct clock *io = &n->state->clocks[CLOCK_IO];
    bool stale = s->asynchronous && !s->external && s->woken && s->woken == io->base_tick &&
                 clock_cycle_at(&n->state->clocks[AVR_CLOCK_ASY], s->woken) == timer_now(n, s);
    return stale ? s->asleep_count : s->wave.count;
}

static void read_word(struct node *n, const struct timer_config *c, struct timer_state *s, uint16_t low, uint16_t value)
{
    n->data[low] = (uint8_t)value;
    if (c->wide || c->high)
        s->temp = (uint8_t)(value >> 8);
}

static void read_busy(struct node *n, const struct timer_config *c, const struct timer_state *s)
{
    bits_set(n, c->count_busy, s->pending_due[PENDING_COUNT] != 0);
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        bits_set(n, c->channel[i].busy, s->pending_due[PENDING_COMPARE + i] != 0);
    for (unsigned i = 0; i < 2; i++)
        bits_set(n, c->control_busy[i], s->pending_due[PENDING_CONTROL + i] != 0);
}

/* Software polls this: most of the time nothing has come of the look, and everything is settled already. */
static void read_asynchronous(struct node *n, const struct device *d)
{
    struct timer_state *s = device_state(n, d), before = *s;
    timer_look(n, d);
    read_busy(n, d->config, s);
    if (memcmp(&before, s, sizeof before) != 0) /* NOLINT(bugprone-suspicious-memory-comparison): one is a copy */
        timer_settle(n, d);
}

static void avr_timer_read(struct node *n, const struct device *d, unsigned role)
{
    const struct timer_config *c = d->config;
    struct timer_state *s = device_state(n, d);
    if (s->stopped)
        return;
    if (role == ROLE_ASYNCHRONOUS) {
        read_asynchronous(n, d);
        return;
    }
    timer_look(n, d);
    switch (role) {
    case ROLE_COUNT_LOW: read_word(n, c, s, c->count, read_count(n, s)); break;
    case ROLE_COUNT_HIGH: n->data[c->count + 1] = s->temp; break;
    case ROLE_CAPTURE_LOW: read_word(n, c, s, c->capture, s->wave.capture); break;
    case ROLE_CAPTURE_HIGH: n->data[c->capture + 1] = s->temp; break;
    case ROLE_COMPARE_LOW:
    case ROLE_COMPARE_LOW + 1:
    case ROLE_COMPARE_LOW + 2:
        read_word(n, c, s, c->channel[role - ROLE_COMPARE_LOW].compare, s->wave.buffer[role - ROLE_COMPARE_LOW]);
        break;
    case ROLE_HIGH: n->data[c->high] = s->temp; break;
    case ROLE_FLAGS:
    case ROLE_MORE_FLAGS: timer_tell(n, d); break;
    case ROLE_PRESCALER:
        if (!s->prescaler.held && timer_now(n, s) >= s->prescaler.base)
            bits_set(n, c->prescaler_reset, 0);
        break;
    }
}

static bool avr_timer_outlook(const struct node *n, const struct device *d, unsigned role, struct outlook *s)
{
    const struct timer_state *t = device_state(n, d);
    if (t->stopped)
        return true;
    switch (role) {
    case ROLE_COUNT_LOW: return timer_outlook_count(n, d, s);
    case ROLE_COUNT_HIGH: /* latched by the read of the low byte */
        if (!timer_outlook_count(n, d, s))
            return false;
        if (s->kind == OUTLOOK_COUNTS)
            s->kind = OUTLOOK_LATCHED;
        return true;
    case ROLE_FLAGS:
    case ROLE_MORE_FLAGS: return timer_outlook_flags(n, d, s);
    case ROLE_ASYNCHRONOUS: return timer_outlook_asynchronous(n, d, s);
    default: return false;
    }
}

/* ---- writing ---- */

/* Keeps a value for the second rising edge of TOSC1. */
static void write_pending(const struct node *n, const struct timer_config *c, struct timer_state *s, unsigned kind,
                          uint16_t value)
{
    s->pending_value[kind] = value;
    s->pending_due[kind] = timer_now(n, s) + 2;
    timer_disable(c, s);
}

static void avr_timer_write_control(struct node *n, const struct timer_config *c, struct timer_state *s, unsigned which,
                                    unsigned value)
{
    if (c->shadow) {
        uint8_t *first = &n->data[c->control[0]], *shadow = &n->data[c->shadow];
        if (c->control[which] == c->shadow) {
            *first = (uint8_t)((*first & 0x0f) | (*shadow & 0xf0));
            timer_take_control(c, s, 0, *first);
        }
        *shadow = (uint8_t)((*shadow & 0x0f) | (*first & 0xf0));
    }
    uint8_t taken = n->data[c->control[which]];
    for (unsigned i = 0; i < WAVEFORM_CHANNELS; i++)
        if (c->channel[i].force.reg == c->control[which])
            taken |= value & bits_mask(c->channel[i].force);
    if (s->asynchronous)
        write_pending(n, c, s, PENDING_CONTROL + which, taken);
    else
        timer_take_control(c, s, which, taken);
}

static void write_count(const struct node *n, const struct timer_config *c, struct timer_state *s, uint16_t value)
{
    if (s->asynchronous) {
        write_pending(n, c, s, PENDING_COUNT, value);
    } else {
        s->wave.count = value;
        s->wave.blocked = 1;
    }
}

/* Reads of OCRnx do not go through TEMP: the bytes always show the buffer. */
static void write_compare(struct node *n, const struct timer_config *c, struct timer_state *s, unsigned channel,
                          uint16_t value)
{
    uint16_t at = c->channel[channel].compare;
    n->data[at] = (uint8_t)value;
    if (c->wide)
        n->data[at + 1] = (uint8_t)(value >> 8);
    if (s->asynchronous)
        write_pending(n, c, s, PENDING_COMPARE + channel, value);
    else
        waveform_set_compare(&s->wave, channel, value);
    if (s->strobes && channel == 0)
        waveform_set_compare(&s->wave, TIMER_STROBE, value);
}

/* "This bit is normally cleared immediately by hardware, except if the TSM bit is set"; in asynchronous operation it
 * stays until the crystal's next edge has reset the prescaler. */
static void write_prescaler(struct node *n, const struct timer_config *c, struct timer_state *s, unsigned value)
{
    bool resets = value & bits_mask(c->prescaler_reset), holds = resets && bits_get(n, c->synchronisation);
    if (resets || s->prescaler.held)
        s->prescaler = (struct prescaler){.base = timer_now(n, s) + 1, .held = holds};
    if (!holds && !(resets && s->asynchronous))
        bits_set(n, c->prescaler_reset, 0);
}

/* "When the value of AS2 is changed, the contents of TCNT2, OCR2A, OCR2B, TCCR2A and TCCR2B might be corrupted": here
 * they stay, and writes under way take effect. */
static void write_asynchronous(struct node *n, const struct timer_config *c, struct timer_state *s)
{
    bool on = bits_get(n, c->asynchronous), external = bits_get(n, c->external_clock);
    if (on == s->asynchronous && external == s->external)
        return;
    timer_take_pending(c, s);
    s->asynchronous = on;
    s->external = external;
    s->fresh = 0;
    s->stopped = bits_get(n, c->power_reduction) && !on;
    s->slept = s->woken = 0;
    s->last = s->prescaler.base = timer_now(n, s);
}

/* The PLL's clock is chosen, or not any more. */
static void write_fast(struct node *n, const struct timer_config *c, struct timer_state *s)
{
    bool fast = bits_get(n, c->fast) != 0;
    if (fast == s->fast)
        return;
    s->fast = fast;
    s->last = s->prescaler.base = timer_now(n, s);
}

static void look_at_capture(struct node *n, const struct device *d, unsigned late)
{
    const struct timer_config *c = d->config;
    struct timer_state *s = device_state(n, d);
    if (!c->capture || s->asynchronous)
        return;
    bool level = bits_get(n, c->capture_comparator) ? bits_get(n, c->comparator) : pin_level(n, c->capture_pin);
    if (s->wave.mode.top_from == WAVEFORM_TOP_CAPTURE)
        sampler_settle(&s->capture, level);
    else if (sampler_turns(&s->capture, level))
        sampler_change(&s->capture, node_cycle(n, CLOCK_IO) - late, level, timer_control(c, s, c->noise_canceller));
}

/* "ICF1, OCF1x, TOV1 can be cleared by writing a logic one to its bit location." */
static void write_flags(const struct timer_config *c, struct timer_state *s, unsigned role, unsigned value)
{
    uint16_t reg = c->interrupt[role == ROLE_FLAGS ? TIMER_OVERFLOW : TIMER_COMPARE_C].flag.reg;
    for (unsigned i = 0; i < TIMER_FLAGS; i++)
        if (c->interrupt[i].flag.reg == reg && (value & bits_mask(c->interrupt[i].flag)))
            timer_clear(s, i);
}

/* A register that holds from the next cycle on. False if the role is none of these. */
static bool avr_timer_write_register(struct node *n, const struct timer_config *c, struct timer_state *s, unsigned role,
                                     unsigned value)
{
    uint16_t word = (uint16_t)(c->wide || c->high ? s->temp << 8 | value : value);
    switch (role) {
    case ROLE_CONTROL:
    case ROLE_CONTROL + 1:
    case ROLE_CONTROL + 2:
    case ROLE_CONTROL + 3:
    case ROLE_CONTROL + 4: avr_timer_write_control(n, c, s, role - ROLE_CONTROL, value); return true;
    case ROLE_COUNT_LOW: write_count(n, c, s, word); return true;
    case ROLE_COMPARE_LOW:
    case ROLE_COMPARE_LOW + 1:
    case ROLE_COMPARE_LOW + 2: write_compare(n, c, s, role - ROLE_COMPARE_LOW, word); return true;
    case ROLE_CAPTURE_LOW: /* "can only be written when using a mode that utilizes ICRn for the counter's TOP value" */
        if (s->wave.mode.top_from == WAVEFORM_TOP_CAPTURE)
            s->wave.capture = word;
        return true;
    case ROLE_COUNT_HIGH:
    case ROLE_CAPTURE_HIGH:
    case ROLE_COMPARE_HIGH:
    case ROLE_COMPARE_HIGH + 1:
    case ROLE_COMPARE_HIGH + 2: s->temp = (uint8_t)value; return true;
    case ROLE_HIGH: s->temp = value & 0x03; return true;
    case ROLE_TOP:
        n->data[c->top] = (uint8_t)value;
        s->wave.capture = word;
        return true;
    default: return false;
    }
}

/* Other bits of the port than the modulator's were written. */
static bool avr_timer_not_modulated(const struct timer_config *c, unsigned role, unsigned value, unsigned old)
{
    if (role < ROLE_MODULATOR)
        return false;
    const struct timer_modulator *m = &c->channel[role - ROLE_MODULATOR].modulator;
    return !m->toggle.width && !((value ^ old) & bits_mask(m->port));
}

static void avr_timer_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct timer_config *c = d->config;
    struct timer_state *s = device_state(n, d);
    if (avr_timer_not_modulated(c, role, value, old))
        return;
    if (role == ROLE_OTHERS) {
        timer_settle_soon(n, d);
        return;
    }
    if (s->stopped && role < ROLE_ENABLE) { /* "the I/O registers can not be read or written" */
        if (role < ROLE_COUNT_LOW)
            n->data[c->control[role]] = (uint8_t)old;
        return;
    }
    if (role < ROLE_ENABLE || role == ROLE_PRESCALER || role == ROLE_POWER || role == ROLE_ASYNCHRONOUS ||
        role == ROLE_FAST || role == ROLE_STROBE)
        timer_pass(n, d);
    else
        timer_look(n, d);
    switch (role) {
    case ROLE_ENABLE:
        timer_tell(n, d);
        for (unsigned i = 0; i < TIMER_FLAGS; i++)
            avr_interrupt_update(n, &c->interrupt[i]);
        break;
    case ROLE_FLAGS:
    case ROLE_MORE_FLAGS: write_flags(c, s, role, value); break;
    case ROLE_PRESCALER: write_prescaler(n, c, s, value); break;
    case ROLE_POWER: s->stopped = bits_get(n, c->power_reduction) && !s->asynchronous; break;
    case ROLE_ASYNCHRONOUS: write_asynchronous(n, c, s); break;
    case ROLE_FAST: write_fast(n, c, s); break;
    case ROLE_STROBE:
        s->strobes = bits_get(n, c->strobe) == 1;
        timer_configure(c, s);
        timer_disable(c, s);
        break;
    case ROLE_MODULATOR:
    case ROLE_MODULATOR + 1:
    case ROLE_MODULATOR + 2: timer_drive(n, d, role - ROLE_MODULATOR); break;
    default: avr_timer_write_register(n, c, s, role, value); break;
    }
    timer_settle(n, d);
}

/* ---- the rest ---- */

static void avr_timer_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    struct timer_state *s = device_state(n, d);
    if (role == ROLE_OSCILLATOR_PIN) {
        if (!level || !s->asynchronous || !s->external)
            return;
        s->oscillator++;
    }
    timer_look(n, d);
    if (role == ROLE_CAPTURE_PIN)
        look_at_capture(n, d, 0);
    else if (role == ROLE_CLOCK_PIN && s->divisor >= TIMER_FALLING)
        sampler_change(&s->clock, node_cycle(n, CLOCK_IO), level, false);
    else if (role == ROLE_CLOCK_PIN)
        sampler_settle(&s->clock, level);
    timer_settle(n, d);
}

void timer_comparator(struct node *n, const struct device *timer, unsigned late)
{
    timer_look(n, timer);
    look_at_capture(n, timer, late);
    timer_settle(n, timer);
}

static void avr_timer_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    timer_look(n, d);
    timer_clear(device_state(n, d), irq);
    timer_settle(n, d);
}

static void avr_timer_event(struct node *n, const struct device *d, unsigned which)
{
    if (which >= TIMER_EVENT_DEAD) {
        timer_dead_time_over(n, d, which - TIMER_EVENT_DEAD);
        return;
    }
    timer_look(n, d);
    look_at_capture(n, d, 0);
    timer_settle(n, d);
}

/* clang-format off */
/* Whether the last wake-up can still matter: to a sleep that begins in the same cycle of the oscillator. */
static bool timer_woke_just_now(const struct node *n, const struct timer_state *s)
{
    const struct clock *asy = &n->state->clocks[AVR_CLOCK_ASY];
    return s->slept && (!s->woken || clock_cycle_at(asy, s->woken) == clock_cycle_at(asy, node_now(n)));
}

static void timer_canonical(struct node *n, const struct device *d)
{
    const struct timer_config *c = d->config;
    struct timer_state *s = device_state(n, d);
    if (s->stopped)
        return;
    timer_look(n, d);
    if (!s->fresh)
        s->fresh_due = 0;
    if (n->state->clocks[CLOCK_IO].period && !timer_woke_just_now(n, s))
        s->slept = s->woken = s->roused = s->asleep_count = 0;
    n->data[c->count] = 0; /* reads work them out */
    if (c->wide)
        n->data[c->count + 1] = 0;
    if (c->capture)
        n->data[c->capture] = n->data[c->capture + 1] = 0;
}

#define TIMER_TYPE                                                                                          \
    .state_size = sizeof(struct timer_state), .connect = avr_timer_connect, .reset = avr_timer_reset,       \
    .event = avr_timer_event, .read = avr_timer_read, .outlook = avr_timer_outlook, .write = avr_timer_write, \
    .acknowledge = avr_timer_acknowledge, .input = avr_timer_input, .canonical = timer_canonical
/* clang-format on */

const struct device_type avr_timer = {.name = "timer", .events = TIMER_EVENT_DEAD, TIMER_TYPE};
const struct device_type avr_timer_high_speed = {.name = "high-speed timer", .events = TIMER_EVENTS, TIMER_TYPE};
