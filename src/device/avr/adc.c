#include "device/avr/adc.h"

#include <string.h>

#include "device/avr/clocks.h"
#include "node/machine.h"
#include "node/pins.h"

enum { ADEN = 0x80, ADSC = 0x40, ADATE = 0x20, ADIF = 0x10, ADIE = 0x08, ADPS = 0x07 }; /* ADCSRA */
enum { REFS = 0xc0, ADLAR = 0x20, REFS_SHIFT = 6 };                                     /* ADMUX */

enum { ROLE_CONTROL, ROLE_TRIGGER, ROLE_LOW, ROLE_HIGH, ROLE_POWER };
enum phase { IDLE, STARTING, SAMPLING, CONVERTING };
enum { EVENT_PHASE };
enum { TRIGGER_SYNCHRONISER = 3 }; /* system clocks */

/* Microvolts a degree of the sensor on the chip: ATmega328P datasheet, table 24-2, from 25 to 85 degrees. */
static const double TEMPERATURE_SLOPE = 1100;

struct state {
    uint64_t base; /* the cycle of AVR_CLOCK_ADC in which the prescaler was zero and began to count */
    uint64_t due;  /* half ADC clocks since `base`, at the end of the phase */
    uint8_t phase; /* enum phase */
    bool first;    /* no conversion has been started since ADEN was set */
    bool late;     /* a differential conversion asked for while CKADC2 was high */
    bool locked;   /* ADCL was read, ADCH not yet */
    uint8_t mux, reference, halves_left;
    int16_t sample, result;
    uint32_t unused2;
};

static const struct avr_adc *adc_config_of(const struct device *d)
{
    return d->config;
}

static void adc_connect(const struct device *d, struct wiring *w)
{
    const struct avr_adc *a = adc_config_of(d);
    uint8_t mux = (uint8_t)(REFS | ADLAR | bits_mask(a->mux) | bits_mask(a->reference_high));
    wire_register(w, d, a->admux, 0, WIRE_PLAIN, mux);
    wire_register(w, d, a->adcsra, ROLE_CONTROL, WIRE_WRITE, 0xff);
    wire_register(w, d, a->adcl, ROLE_LOW, WIRE_READ, 0xff);
    wire_register(w, d, a->adch, ROLE_HIGH, WIRE_READ, 0xff);
    if (a->mux_high.width)
        wire_register(w, d, a->mux_high.reg, 0, WIRE_PLAIN, bits_mask(a->mux_high));
    const struct bits plain[] = {a->bipolar, a->reversed, a->high_speed};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i].width)
            wire_register(w, d, plain[i].reg, 0, WIRE_PLAIN, bits_mask(plain[i]));
    if (a->trigger.width) {
        wire_register(w, d, a->trigger.reg, ROLE_TRIGGER, WIRE_STORE, bits_mask(a->trigger));
        wire_triggered(w, d);
    }
    if (a->power_reduction.width)
        wire_register(w, d, a->power_reduction.reg, ROLE_POWER, WIRE_STORE, bits_mask(a->power_reduction));
    avr_interrupt_wire(w, d, &a->interrupt, 0);
    for (unsigned i = 0; i < 1u << (a->mux.width + a->mux_high.width); i++)
        if (a->inputs[i].positive < AVR_LINE_AIN0)
            wire_channel(w, d, a->inputs[i].positive);
    wire_analog(w, d, AVR_LINE_AREF, AVR_LINE_AREF);
    if (!a->temperature)
        return;
    wire_analog(w, d, AVR_LINE_TEMPERATURE, AVR_LINE_TEMPERATURE);
    wire_quantity(w, d,
                  (struct quantity){"temperature", "C", AVR_LINE_TEMPERATURE, a->temperature - 25 * TEMPERATURE_SLOPE,
                                    TEMPERATURE_SLOPE});
}

static int32_t adc_analog(struct node *n, const struct device *d, unsigned role)
{
    return role == AVR_LINE_TEMPERATURE ? adc_config_of(d)->temperature : analog_supply(n);
}

static void adc_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    memset(device_state(n, d), 0, sizeof(struct state));
}

/* ---- the ADC clock ---- */

/* System clocks in half an ADC clock: 1 for a division by 2, ..., 64 for one by 128. */
static uint64_t half_period(uint8_t adcsra)
{
    unsigned select = adcsra & ADPS;
    return UINT64_C(1) << (select ? select - 1 : 0);
}

static uint64_t halves_at(const struct state *s, uint64_t cycle, uint64_t half)
{
    return cycle > s->base ? (cycle - s->base) / half : 0;
}

static void adc_schedule(struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    uint64_t half = half_period(n->data[adc_config_of(d)->adcsra]);
    event_at(n, d, EVENT_PHASE, AVR_CLOCK_ADC, s->base + s->due * half);
}

/* The cycle from which a register written now acts. */
static uint64_t acting_cycle(const struct node *n)
{
    return node_cycle(n, AVR_CLOCK_ADC) + 1;
}

/* ---- voltages ---- */

static int32_t voltage(struct node *n, const struct avr_adc *a, unsigned input)
{
    if (input == AVR_ADC_GROUND)
        return 0;
    if (input == AVR_ADC_BANDGAP)
        return a->bandgap;
    if (input == AVR_LINE_TEMPERATURE && !a->temperature)
        return 0;
    return analog_choose(n, input, analog_voltage(n, input, input < 16 ? a->pins[input] : PIN_NONE));
}

static int32_t adc_reference(struct node *n, const struct avr_adc *a, unsigned select)
{
    switch (a->references[select]) {
    case AVR_ADC_AREF: return analog_voltage(n, AVR_LINE_AREF, PIN_NONE);
    case AVR_ADC_AVCC: return analog_supply(n);
    default: return a->references[select];
    }
}

/* A differential result is signed unless the chip can say otherwise (BIN) and does not. */
static int16_t adc_convert(struct node *n, const struct avr_adc *a, const struct state *s)
{
    struct avr_adc_input in = a->inputs[s->mux];
    int64_t full = adc_reference(n, a, s->reference);
    bool is_signed = in.gain && (!a->bipolar.width || bits_get(n, a->bipolar));
    int64_t steps = in.gain ? (is_signed ? 512 : 1024) * in.gain : 1024;
    int64_t value = (int64_t)voltage(n, a, in.positive) - (in.gain ? voltage(n, a, in.negative) : 0);
    if (in.gain && bits_get(n, a->reversed))
        value = -value;
    int64_t lowest = is_signed ? -512 : 0, highest = is_signed ? 511 : 1023;
    int64_t result = full > 0 ? value * steps / full : value > 0 ? highest : lowest;
    return (int16_t)(result < lowest ? lowest : result > highest ? highest : result);
}

/* ---- conversions ---- */

static bool converting(const struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    return s->phase != IDLE;
}

static bool free_running(const struct node *n, const struct avr_adc *a)
{
    return n->data[a->adcsra] & ADATE && bits_get(n, a->trigger) == 0;
}

/* Waits for the first rising edge of the ADC clock (an odd half) after the cycle. */
static void adc_begin(struct node *n, const struct device *d, uint64_t cycle)
{
    const struct avr_adc *a = adc_config_of(d);
    struct state *s = device_state(n, d);
    uint64_t edges = (halves_at(s, cycle, half_period(n->data[a->adcsra])) + 1) / 2;
    s->late = edges % 2;
    s->due = 2 * edges + 1;
    s->phase = STARTING;
    n->data[a->adcsra] |= ADSC;
    adc_schedule(n, d);
}

/* At the edge that starts a conversion. */
static void adc_start(struct node *n, const struct device *d)
{
    const struct avr_adc *a = adc_config_of(d);
    struct state *s = device_state(n, d);
    s->mux = (uint8_t)(bits_get(n, a->mux) | bits_get(n, a->mux_high) << a->mux.width);
    s->reference = (uint8_t)(n->data[a->admux] >> REFS_SHIFT | bits_get(n, a->reference_high) << 2);
    bool late = s->late && a->inputs[s->mux].gain;
    unsigned to_sample = s->first ? 27 : late ? 5 : 3;
    unsigned in_all = s->first ? 50 : late ? 28 : 26;
    s->first = false;
    s->due += to_sample;
    s->halves_left = (uint8_t)(in_all - to_sample);
    s->phase = SAMPLING;
    adc_schedule(n, d);
}

static void take_sample(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    s->sample = adc_convert(n, adc_config_of(d), s);
    s->due += s->halves_left;
    s->phase = CONVERTING;
    adc_schedule(n, d);
}

static void adc_complete(struct node *n, const struct device *d)
{
    const struct avr_adc *a = adc_config_of(d);
    struct state *s = device_state(n, d);
    if (!s->locked)
        s->result = s->sample;
    s->phase = IDLE;
    if (free_running(n, a)) {
        s->late = true; /* "CKADC2 is high at this time": 14 clocks for all but the first */
        adc_start(n, d);
    } else {
        n->data[a->adcsra] &= (uint8_t)~ADSC;
    }
    avr_interrupt_flag(n, &a->interrupt, true);
}

static void adc_event(struct node *n, const struct device *d, unsigned which)
{
    (void)which;
    const struct state *s = device_state(n, d);
    switch ((enum phase)s->phase) {
    case IDLE: return;
    case STARTING: adc_start(n, d); return;
    case SAMPLING: take_sample(n, d); return;
    case CONVERTING: adc_complete(n, d); return;
    }
}

static void abort_conversion(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    s->phase = IDLE;
    n->data[adc_config_of(d)->adcsra] &= (uint8_t)~ADSC;
    event_cancel(n, d, EVENT_PHASE);
}

/* ---- triggers ---- */

static bool adc_listens(const struct node *n, const struct avr_adc *a)
{
    return (n->data[a->adcsra] & (ADEN | ADATE)) == (ADEN | ADATE) && !bits_get(n, a->power_reduction);
}

static void trigger(struct node *n, const struct device *d)
{
    if (converting(n, d))
        return;
    struct state *s = device_state(n, d);
    s->base = node_cycle(n, AVR_CLOCK_ADC) + TRIGGER_SYNCHRONISER;
    adc_begin(n, d, s->base);
}

static bool awaits(const struct node *n, const struct avr_adc *a, unsigned vector)
{
    unsigned source = bits_get(n, a->trigger);
    return source != 0 && a->triggers[source].vector == vector && adc_listens(n, a);
}

bool avr_adc_awaits(const struct node *n, unsigned vector)
{
    const struct device *d = n->machine->triggered;
    return d && awaits(n, adc_config_of(d), vector);
}

void avr_adc_flag_rose(struct node *n, unsigned vector)
{
    const struct device *d = n->machine->triggered;
    if (d && awaits(n, adc_config_of(d), vector))
        trigger(n, d);
}

/* ---- registers ---- */

/* The prescaler's counter runs on; another of its bits is now the ADC clock. */
static void change_clock(struct node *n, const struct device *d, uint64_t old_half)
{
    struct state *s = device_state(n, d);
    uint64_t now = acting_cycle(n), half = half_period(n->data[adc_config_of(d)->adcsra]);
    if (half == old_half || s->phase == IDLE)
        return;
    if (s->phase == STARTING) {
        adc_begin(n, d, now);
        return;
    }
    uint64_t left = s->due - halves_at(s, now, old_half);
    s->due = halves_at(s, now, half) + left;
    adc_schedule(n, d);
}

static void adc_write_control(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct avr_adc *a = adc_config_of(d);
    struct state *s = device_state(n, d);
    if (bits_get(n, a->power_reduction))
        return;
    uint8_t kept = old & ADSC;
    if (!(value & ADIF))
        kept |= old & ADIF;
    n->data[a->adcsra] = (uint8_t)((value & (ADEN | ADATE | ADIE | ADPS)) | kept);
    if (!(value & ADEN)) {
        abort_conversion(n, d);
    } else if (!(old & ADEN)) {
        s->base = acting_cycle(n);
        s->first = true;
    } else {
        change_clock(n, d, half_period((uint8_t)old));
    }
    if ((value & (ADEN | ADSC)) == (ADEN | ADSC) && !converting(n, d))
        adc_begin(n, d, acting_cycle(n));
    avr_interrupt_update(n, &a->interrupt);
}

/* "Switching from a trigger source that is cleared to a trigger source that is set will generate a positive edge"; to
 * free running it does not. */
static void write_trigger(struct node *n, const struct device *d, unsigned value, unsigned old)
{
    const struct avr_adc *a = adc_config_of(d);
    unsigned was = (old & bits_mask(a->trigger)) >> a->trigger.shift;
    unsigned is = (value & bits_mask(a->trigger)) >> a->trigger.shift;
    if (was == is || is == 0 || !adc_listens(n, a))
        return;
    if (a->triggers[is].flag.width)
        node_read(n, a->triggers[is].flag.reg); /* brings it up to date */
    if (bits_get(n, a->triggers[is].flag) && !bits_get(n, a->triggers[was].flag))
        trigger(n, d);
}

static void adc_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    switch (role) {
    case ROLE_CONTROL: adc_write_control(n, d, value, old); return;
    case ROLE_TRIGGER: write_trigger(n, d, value, old); return;
    case ROLE_POWER: /* a conversion under way is lost: the datasheet wants the ADC off before */
        if (bits_get(n, adc_config_of(d)->power_reduction))
            abort_conversion(n, d);
        return;
    }
}

static void adc_read(struct node *n, const struct device *d, unsigned role)
{
    const struct avr_adc *a = adc_config_of(d);
    struct state *s = device_state(n, d);
    unsigned shown = (unsigned)s->result & 0x3ff;
    if (n->data[a->admux] & ADLAR)
        shown <<= 6;
    n->data[a->adcl] = (uint8_t)shown;
    n->data[a->adch] = (uint8_t)(shown >> 8);
    s->locked = role == ROLE_LOW;
}

static void adc_acknowledge(struct node *n, const struct device *d, unsigned irq)
{
    (void)irq;
    avr_interrupt_acknowledge(n, &adc_config_of(d)->interrupt);
}

const struct device_type avr_adc = {
    .name = "adc",
    .state_size = sizeof(struct state),
    .events = 1,
    .connect = adc_connect,
    .reset = adc_reset,
    .event = adc_event,
    .read = adc_read,
    .write = adc_write,
    .acknowledge = adc_acknowledge,
    .analog = adc_analog,
};

/* ---- multiplexers ---- */

#define SINGLE(line)       \
    {                      \
        .positive = (line) \
    }
#define SINGLE_4(first) SINGLE(first), SINGLE((first) + 1), SINGLE((first) + 2), SINGLE((first) + 3)
#define GROUND          SINGLE(AVR_ADC_GROUND)
#define PAIR(first, against, times)                                     \
    {.positive = (first), .negative = (against), .gain = (times)},      \
    {                                                                   \
        .positive = (first) + 1, .negative = (against), .gain = (times) \
    }
#define GAINS(first)            PAIR(first, first, 10), PAIR(first, first, 200)
#define PAIRS_3(first, against) PAIR(first, against, 1), PAIR((first) + 2, against, 1), PAIR((first) + 4, against, 1)

/* ATmega48/88/168/328, table "Input Channel Selections". Channel 8 is reserved on those without a sensor. */
const struct avr_adc_input avr_adc_inputs16[16] = {
    SINGLE_4(0), SINGLE_4(4), SINGLE(AVR_LINE_TEMPERATURE), GROUND, GROUND, GROUND,
    GROUND,      GROUND,      SINGLE(AVR_ADC_BANDGAP),      GROUND,
};

/* ATmega640/1280/2560, table "Input Channel Selections"; its first half is that of the ATmega128, 1281 and 2561. */
const struct avr_adc_input avr_adc_inputs64[64] = {
    /* clang-format off */
    SINGLE_4(0), SINGLE_4(4),  GAINS(0), GAINS(2),  PAIRS_3(0, 1), PAIR(6, 1, 1),  PAIRS_3(0, 2),
    SINGLE(AVR_ADC_BANDGAP), GROUND,
    SINGLE_4(8), SINGLE_4(12), GAINS(8), GAINS(10), PAIRS_3(8, 9), PAIR(14, 9, 1), PAIRS_3(8, 10),
    GROUND, GROUND,
    /* clang-format on */
};

#define GAIN(first, against, times)                                 \
    {                                                               \
        .positive = (first), .negative = (against), .gain = (times) \
    }

/* ATtiny25/45/85, table 17-4. */
const struct avr_adc_input avr_adc_inputs_tiny[16] = {
    SINGLE_4(0),
    GAIN(2, 2, 1),
    GAIN(2, 2, 20),
    GAIN(2, 3, 1),
    GAIN(2, 3, 20),
    GAIN(0, 0, 1),
    GAIN(0, 0, 20),
    GAIN(0, 1, 1),
    GAIN(0, 1, 20),
    SINGLE(AVR_ADC_BANDGAP),
    GROUND,
    GROUND,
    SINGLE(AVR_LINE_TEMPERATURE),
};

/* ATmega16U4/32U4, table 24-4: channels 4 to 7 against 0 and against 1. */
#define GAINS_4(against, times) \
    GAIN(4, against, times), GAIN(5, against, times), GAIN(6, against, times), GAIN(7, against, times)
const struct avr_adc_input avr_adc_inputs_u4[64] = {
    /* clang-format off */
    SINGLE(0), SINGLE(1), GROUND, GROUND, SINGLE_4(4),
    GROUND, GAIN(1, 0, 10), GROUND, GAIN(1, 0, 200), GROUND, GROUND, GROUND, GROUND,
    GAIN(0, 1, 1), GROUND, GROUND, GROUND, GAINS_4(1, 1),
    GROUND, GROUND, GROUND, GROUND, GROUND, GROUND, SINGLE(AVR_ADC_BANDGAP), GROUND,
    SINGLE_4(8), SINGLE(12), SINGLE(13), GAIN(1, 0, 40), SINGLE(AVR_LINE_TEMPERATURE),
    GAINS_4(0, 10), GAINS_4(1, 10), GAINS_4(0, 40), GAINS_4(1, 40), GAINS_4(0, 200), GAINS_4(1, 200),
    /* clang-format on */
};
