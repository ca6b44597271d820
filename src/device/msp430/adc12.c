#include "device/msp430/adc12.h"

#include "device/msp430/clocks.h"
#include "device/msp430/words.h"
#include "node/machine.h"
#include "node/pins.h"

/* ADC12CTL0 */
enum { SC = 1, ENC = 2, TOVIE = 4, OVIE = 8, ON = 0x10, REFON = 0x20, REF2_5V = 0x40, MSC = 0x80, SHT0 = 8, SHT1 = 12 };
/* ADC12CTL1 */
enum { BUSY = 1, CONSEQ = 1, SSEL = 3, DIV = 5, ISSH = 0x100, SHP = 0x200, SHS = 10, CSTARTADD = 12 };
enum { CONSEQ_MASK = 6, CTL1_LOCKED = 0xfff8, CTL0_LOCKED = 0xfff0 };
/* ADC12MCTLx */
enum { EOS = 0x80, SREF = 4, INCH = 15 };
enum { SINGLE, SEQUENCE, REPEAT_SINGLE, REPEAT_SEQUENCE }; /* CONSEQx */

enum { ROLE_CTL0, ROLE_CTL1, ROLE_IFG, ROLE_IE, ROLE_IV, ROLE_MCTL, ROLE_MEM };
enum phase { IDLE, SAMPLING, EXTENDED, CONVERTING };
enum { CONVERSION = 13, RESULTS = 16, FULL = 4095 };
enum { OVERFLOW = 1, TIME_OVERFLOW = 2 };

static const double oscillator_hz = 5e6;
static const int32_t temperature_microvolts = 986000 + 25 * 3550; /* datasheet, 25 degrees */

struct state {
    uint64_t reference_on; /* tick at which REFON was set */
    uint8_t phase;
    uint8_t at;       /* the result register of this conversion, or of the next */
    uint8_t running;  /* a sequence or repetition is under way */
    uint8_t armed;    /* a trigger may start something */
    uint8_t shi;      /* the trigger's level, ISSH applied */
    uint8_t watched;  /* outputs that timers have been asked to tell of */
    uint8_t overflow; /* conditions that ADC12IV shows first */
    uint16_t sample;
};

static void adc12_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_adc12 *c = d->config;
    wire_register(w, d, c->ctl0, ROLE_CTL0, WIRE_WRITE | WIRE_WORD, 0xffff);
    wire_register(w, d, c->ctl1, ROLE_CTL1, WIRE_WRITE | WIRE_WORD, 0xffff);
    wire_register(w, d, c->ifg, ROLE_IFG, WIRE_STORE | WIRE_WORD, 0xffff);
    wire_register(w, d, c->ie, ROLE_IE, WIRE_STORE | WIRE_WORD, 0xffff);
    wire_register(w, d, c->iv, ROLE_IV, WIRE_WRITE | WIRE_READ | WIRE_WORD, 0xffff);
    for (unsigned i = 0; i < RESULTS; i++) {
        wire_register(w, d, (uint16_t)(c->mctl0 + i), ROLE_MCTL + 2 * i, WIRE_WRITE, 0xff);
        wire_register(w, d, (uint16_t)(c->mem0 + 2 * i), ROLE_MEM + 2 * i, WIRE_STORE | WIRE_READ | WIRE_WORD, 0x0fff);
    }
    wire_interrupt(w, d, c->line, 0);
    wire_analog(w, d, MSP430_LINE_VEREF_PLUS, MSP430_LINE_VEREF_PLUS);
    wire_analog(w, d, MSP430_LINE_VREF_MINUS, MSP430_LINE_VREF_MINUS);
    wire_analog(w, d, MSP430_LINE_TEMPERATURE, MSP430_LINE_TEMPERATURE);
    wire_quantity(w, d, (struct quantity){"temperature", "C", MSP430_LINE_TEMPERATURE, 986000, 3550});
    for (unsigned i = 0; i < MSP430_LINE_VEREF_PLUS; i++)
        wire_channel(w, d, i);
}

static int32_t adc12_analog(struct node *n, const struct device *d, unsigned role)
{
    (void)d;
    switch (role) {
    case MSP430_LINE_VEREF_PLUS: return analog_supply(n);
    case MSP430_LINE_TEMPERATURE: return temperature_microvolts;
    default: return 0;
    }
}

static void adc12_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    (void)cause;
    *s = (struct state){.phase = IDLE};
    node_set_clock(n, MSP430_ADC12OSC, clock_period(n->machine->hz, oscillator_hz));
}

/* ---- settings ---- */

static unsigned ctl0(const struct node *n, const struct msp430_adc12 *c)
{
    return word_get(n, c->ctl0);
}

static unsigned ctl1(const struct node *n, const struct msp430_adc12 *c)
{
    return word_get(n, c->ctl1);
}

static unsigned mode(const struct node *n, const struct msp430_adc12 *c)
{
    return ctl1(n, c) >> CONSEQ & 3;
}

static unsigned adc12_source(const struct node *n, const struct msp430_adc12 *c)
{
    static const uint8_t clocks[4] = {MSP430_ADC12OSC, MSP430_ACLK, MSP430_MCLK, MSP430_SMCLK};
    return clocks[ctl1(n, c) >> SSEL & 3];
}

/* Source cycles in so many of ADC12CLK. */
static uint64_t cycles(const struct node *n, const struct msp430_adc12 *c, unsigned count)
{
    return (uint64_t)count * ((ctl1(n, c) >> DIV & 7) + 1);
}

static unsigned sample_clocks(const struct node *n, const struct msp430_adc12 *c, unsigned at)
{
    static const uint16_t clocks[16] = {4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1024, 1024, 1024};
    return clocks[ctl0(n, c) >> (at < 8 ? SHT0 : SHT1) & 15];
}

/* ---- interrupts ---- */

static void adc12_update(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    const struct state *s = device_state(n, d);
    unsigned enabled = ctl0(n, c);
    bool asks = word_get(n, c->ifg) & word_get(n, c->ie);
    asks |= s->overflow & OVERFLOW && enabled & OVIE;
    asks |= s->overflow & TIME_OVERFLOW && enabled & TOVIE;
    node_irq(n, c->line, asks);
}

/* Overflows come first and are cleared by looking; the flags of results are not (17.2.9). */
static void adc12_serve_vector(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    unsigned asks = word_get(n, c->ifg) & word_get(n, c->ie), vector = 0;
    if (s->overflow & OVERFLOW && ctl0(n, c) & OVIE) {
        vector = 2;
        s->overflow &= (uint8_t)~OVERFLOW;
    } else if (s->overflow & TIME_OVERFLOW && ctl0(n, c) & TOVIE) {
        vector = 4;
        s->overflow &= (uint8_t)~TIME_OVERFLOW;
    } else if (asks) {
        vector = 6 + 2 * (unsigned)__builtin_ctz(asks);
    }
    word_set(n, c->iv, vector);
    adc12_update(n, d);
}

/* ---- voltages ---- */

static int32_t adc12_reference(const struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    const struct state *s = device_state(n, d);
    if (!(ctl0(n, c) & REFON))
        return 0;
    int64_t full = ctl0(n, c) & REF2_5V ? 2500000 : 1500000;
    int64_t on = (int64_t)(node_now(n) - s->reference_on), settled = (int64_t)node_ticks(n, c->settle_seconds);
    return (int32_t)(on >= settled ? full : full * on / settled);
}

int32_t msp430_adc12_reference(const struct node *n)
{
    for (size_t i = 0; i < n->machine->device_count; i++)
        if (n->machine->devices[i].type == &msp430_adc12)
            return adc12_reference(n, &n->machine->devices[i]);
    return 0;
}

/* SREFx: bit 2 chooses the negative reference, bits 1:0 the positive one (17.3). */
static int32_t positive_reference(struct node *n, const struct device *d, unsigned select)
{
    switch (select & 3) {
    case 0: return analog_supply(n);
    case 1: return adc12_reference(n, d);
    default: return analog_read(n, MSP430_LINE_VEREF_PLUS);
    }
}

static int32_t input_voltage(struct node *n, const struct msp430_adc12 *c, unsigned channel)
{
    if (channel < 8)
        return analog_choose(n, channel, analog_voltage(n, channel, c->pins[channel]));
    if (channel <= MSP430_LINE_TEMPERATURE)
        return analog_choose(n, channel, analog_read(n, channel));
    return analog_supply(n) / 2;
}

static uint16_t adc12_convert(struct node *n, const struct device *d, unsigned mctl)
{
    const struct msp430_adc12 *c = d->config;
    unsigned select = mctl >> SREF & 7;
    int64_t low = select & 4 ? analog_read(n, MSP430_LINE_VREF_MINUS) : 0;
    int64_t span = positive_reference(n, d, select) - low, value = input_voltage(n, c, mctl & INCH) - low;
    if (value <= 0)
        return 0;
    if (value >= span)
        return FULL;
    return (uint16_t)((value * FULL + span / 2) / span);
}

/* ---- conversions ---- */

static void adc12_busy(struct node *n, const struct msp430_adc12 *c, bool on)
{
    word_set(n, c->ctl1, (ctl1(n, c) & ~(unsigned)BUSY) | (on ? BUSY : 0u));
}

static void adc12_stop(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    event_cancel(n, d, 0);
    s->phase = IDLE;
    s->running = 0;
    s->at = (uint8_t)(ctl1(n, c) >> CSTARTADD);
    adc12_busy(n, c, false);
}

static void adc12_sample(struct node *n, const struct device *d, unsigned synchronise)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    s->running = 1;
    adc12_busy(n, c, true);
    if (ctl1(n, c) & SHP) {
        s->phase = SAMPLING;
        event_in(n, d, 0, adc12_source(n, c), synchronise + cycles(n, c, sample_clocks(n, c, s->at)));
    } else {
        s->phase = EXTENDED;
    }
}

static void adc12_sampled(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    s->sample = adc12_convert(n, d, n->data[c->mctl0 + s->at]);
    s->phase = CONVERTING;
    event_in(n, d, 0, adc12_source(n, c), cycles(n, c, CONVERSION));
}

static void adc12_store(struct node *n, const struct device *d, unsigned at)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    unsigned ifg = word_get(n, c->ifg);
    if (ifg >> at & 1)
        s->overflow |= OVERFLOW;
    word_set(n, (uint16_t)(c->mem0 + 2 * at), s->sample);
    word_set(n, c->ifg, ifg | 1u << at);
    adc12_update(n, d);
}

/* What follows a conversion, by mode (17.2.7). */
static void adc12_go_on(struct node *n, const struct device *d, bool sequence_ends)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    unsigned how = mode(n, c);
    bool ends = how == SINGLE || (how == SEQUENCE && sequence_ends);
    bool stops = !(ctl0(n, c) & ENC) && (how == REPEAT_SINGLE || (how == REPEAT_SEQUENCE && sequence_ends));
    s->phase = IDLE;
    if (ends) {
        s->armed = (ctl1(n, c) >> SHS & 3) == 0; /* other triggers want ENC toggled first */
        adc12_stop(n, d);
        return;
    }
    if (stops) {
        adc12_stop(n, d);
        return;
    }
    if (how != REPEAT_SINGLE)
        s->at = sequence_ends ? (uint8_t)(ctl1(n, c) >> CSTARTADD) : (s->at + 1) % RESULTS;
    if (ctl0(n, c) & MSC && ctl1(n, c) & SHP)
        adc12_sample(n, d, 0);
}

static void adc12_event(struct node *n, const struct device *d, unsigned which)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    (void)which;
    if (s->phase == SAMPLING || s->phase == EXTENDED) {
        adc12_sampled(n, d);
        return;
    }
    bool sequence_ends = n->data[c->mctl0 + s->at] & EOS, one = mode(n, c) == SINGLE || mode(n, c) == REPEAT_SINGLE;
    adc12_store(n, d, s->at);
    adc12_go_on(n, d, sequence_ends);
    if (one || sequence_ends)
        msp430_dma_raise(n, c->ready);
}

/* ---- triggers ---- */

static void adc12_rise(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    if (!(ctl0(n, c) & ON))
        return;
    if (s->phase != IDLE) {
        s->overflow |= TIME_OVERFLOW;
        adc12_update(n, d);
        return;
    }
    if (!s->running && (!(ctl0(n, c) & ENC) || !s->armed))
        return;
    if (!s->running)
        s->at = (uint8_t)(ctl1(n, c) >> CSTARTADD);
    adc12_sample(n, d, 1);
}

static void fall(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    const struct state *s = device_state(n, d);
    if (s->phase == EXTENDED && !event_pending(n, d, 0))
        event_in(n, d, 0, adc12_source(n, c), 1);
}

static void set_shi(struct node *n, const struct device *d, bool level)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    bool shi = level != ((ctl1(n, c) & ISSH) != 0);
    if (shi == s->shi)
        return;
    s->shi = shi;
    if (shi)
        adc12_rise(n, d);
    else
        fall(n, d);
}

static int selected_output(const struct node *n, const struct msp430_adc12 *c)
{
    static const int8_t outputs[4] = {-1, MSP430_TA_OUT1, MSP430_TB_OUT0, MSP430_TB_OUT1};
    return outputs[ctl1(n, c) >> SHS & 3];
}

bool msp430_adc12_awaits(const struct node *n, const struct device *d, enum msp430_output output)
{
    const struct msp430_adc12 *c = d->config;
    const struct state *s = device_state(n, d);
    return selected_output(n, c) == (int)output && ctl0(n, c) & ON && (ctl0(n, c) & ENC || s->running);
}

void msp430_adc12_output(struct node *n, const struct device *d, enum msp430_output output, bool level)
{
    if (msp430_adc12_awaits(n, d, output))
        set_shi(n, d, level);
}

void msp430_adc12_watch(struct node *n, const struct device *d, unsigned outputs)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    unsigned changed = outputs ^ s->watched;
    s->watched = (uint8_t)outputs;
    for (unsigned i = 0; changed >> i; i++)
        if (changed >> i & 1)
            msp430_timer_watch(n, c->outputs[i].timer, c->outputs[i].block, MSP430_TIMER_OUT,
                               outputs >> i & 1 ? d : NULL, i);
}

static void adc12_input(struct node *n, const struct device *d, unsigned output, bool level)
{
    (void)d;
    msp430_output(n, (enum msp430_output)output, level);
}

/* A selected output counts as it is when the converter begins to listen: only later edges are triggers. */
static void adc12_listen(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    int output = selected_output(n, c);
    msp430_outputs_settle(n);
    if (output < 0 || !(s->watched >> output & 1))
        return;
    bool level = msp430_timer_level(n, c->outputs[output].timer, c->outputs[output].block, MSP430_TIMER_OUT);
    s->shi = level != ((ctl1(n, c) & ISSH) != 0);
}

/* ---- registers ---- */

static void enable_changed(struct node *n, const struct device *d, bool enabled)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    if (enabled) {
        s->armed = 1;
        if (!s->running)
            s->at = (uint8_t)(ctl1(n, c) >> CSTARTADD);
    } else if (mode(n, c) == SINGLE || s->phase == IDLE) {
        adc12_stop(n, d); /* else at the end of the conversion or sequence */
    }
}

static void write_ctl0(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    unsigned now = old & ENC ? (old & CTL0_LOCKED) | (value & ~(unsigned)CTL0_LOCKED) : value;
    bool pulse = ctl1(n, c) & SHP, by_software = selected_output(n, c) < 0;
    word_set(n, c->ctl0, pulse ? now & ~(unsigned)SC : now); /* SC clears itself, unless it is what times sampling */
    if (now & ~old & REFON)
        s->reference_on = node_now(n);
    if ((now ^ old) & ENC)
        enable_changed(n, d, now & ENC);
    if (!(now & ON))
        adc12_stop(n, d);
    if ((now ^ old) & (ENC | ON))
        adc12_listen(n, d);
    adc12_update(n, d);
    if (!by_software)
        return;
    set_shi(n, d, (now & SC) != 0);
    if (pulse && now & SC)
        s->shi = 0;
}

static void write_ctl1(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct msp430_adc12 *c = d->config;
    bool enabled = ctl0(n, c) & ENC;
    unsigned locked = enabled ? CTL1_LOCKED | BUSY : BUSY;
    word_set(n, c->ctl1, (old & locked) | (value & ~locked));
    const struct state *s = device_state(n, d);
    if (!enabled && mode(n, c) == SINGLE && (old & CONSEQ_MASK) && s->running)
        adc12_stop(n, d); /* CONSEQ = 0 with ENC clear ends everything at once (17.2.7.6) */
}

static void access_result(struct node *n, const struct device *d, unsigned at)
{
    const struct msp430_adc12 *c = d->config;
    word_set(n, c->ifg, word_get(n, c->ifg) & ~(1u << at));
    adc12_update(n, d);
}

static void adc12_read(struct node *n, const struct device *d, unsigned role)
{
    if (role == ROLE_IV)
        adc12_serve_vector(n, d);
    else
        access_result(n, d, (role - ROLE_MEM) / 2);
}

static void adc12_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    const struct msp430_adc12 *c = d->config;
    switch (role) {
    case ROLE_CTL0: write_ctl0(n, d, value, old); return;
    case ROLE_CTL1: write_ctl1(n, d, value, old); return;
    case ROLE_IFG:
    case ROLE_IE: adc12_update(n, d); return;
    case ROLE_IV: adc12_serve_vector(n, d); return;
    default: break;
    }
    if ((role - ROLE_MCTL) % 2)
        access_result(n, d, (role - ROLE_MEM) / 2);
    else if (!(ctl0(n, c) & ENC))
        n->data[c->mctl0 + (role - ROLE_MCTL) / 2] = (uint8_t)value;
}

/* When the reference was switched on counts until it has settled. */
static void adc12_canonical(struct node *n, const struct device *d)
{
    const struct msp430_adc12 *c = d->config;
    struct state *s = device_state(n, d);
    uint64_t settled = node_ticks(n, c->settle_seconds);
    if (!(ctl0(n, c) & REFON) || (node_now(n) >= settled && node_now(n) - s->reference_on >= settled))
        s->reference_on = 0;
}

const struct device_type msp430_adc12 = {
    .name = "adc12",
    .state_size = sizeof(struct state),
    .events = 1,
    .connect = adc12_connect,
    .reset = adc12_reset,
    .event = adc12_event,
    .read = adc12_read,
    .write = adc12_write,
    .input = adc12_input,
    .analog = adc12_analog,
    .canonical = adc12_canonical,
};
