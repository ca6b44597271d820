#include "device/cc2538/soc_adc.h"

#include "device/analog.h"
#include "node/pins.h"

enum { ADCCON1, ADCCON2, ADCCON3, ADCL, ADCH, RNDL, RNDH, CMPCTL = 9 }; /* by number, which is the role too */
enum { END_OF_CONVERSION = 0x80, START = 0x40, RANDOM = 0x0c, RANDOM_ONCE = 0x04, CHANNELS = 8 };
enum { SUPPLY_REFERENCE = 2, GROUND = 12, TEMPERATURE = 14, SUPPLY = 15, INTERNAL_UV = 1190000 };

struct soc_adc {
    uint16_t random;
    uint8_t extra; /* the conversion under way is one of ADCCON3 */
};

static uint32_t soc_adc_get(const struct node *n, const struct device *d, unsigned number)
{
    return block32_get(n, d, 4 * number);
}

static void soc_adc_connect(const struct device *d, struct wiring *w)
{
    block32_told(w, d, 4 * ADCCON1, ADCCON1, WIRE_WRITE);
    block32_plain(w, d, 4 * ADCCON2, 0xff);
    block32_told(w, d, 4 * ADCCON3, ADCCON3, WIRE_STORE);
    block32_told(w, d, 4 * ADCL, ADCL, WIRE_READ);
    block32_told(w, d, 4 * ADCH, ADCH, WIRE_READ);
    block32_told(w, d, 4 * RNDL, RNDL, WIRE_READ | WIRE_WRITE);
    block32_told(w, d, 4 * RNDH, RNDH, WIRE_READ | WIRE_WRITE);
    block32_plain(w, d, 4 * CMPCTL, 2);
    wire_interrupt(w, d, block32_of(d)->line, 0);
    for (unsigned i = 0; i < CHANNELS; i++)
        wire_channel(w, d, i);
}

static void soc_adc_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct soc_adc *s = device_state(n, d);
    (void)cause;
    *s = (struct soc_adc){.random = 0xffff};
    block32_set(n, d, 4 * ADCCON1, 0x33);
    block32_set(n, d, 4 * ADCCON2, 0x10);
}

/* ---- conversions ---- */

static int32_t soc_adc_pin(struct node *n, unsigned channel)
{
    return analog_choose(n, channel, analog_voltage(n, channel, PIN(A, channel)));
}

static int32_t soc_adc_input(struct node *n, unsigned channel)
{
    if (channel < CHANNELS)
        return soc_adc_pin(n, channel);
    if (channel < GROUND)
        return soc_adc_pin(n, 2 * (channel - CHANNELS)) - soc_adc_pin(n, 2 * (channel - CHANNELS) + 1);
    if (channel == TEMPERATURE)
        return 827000; /* at 25 degrees: 1422 of 2047 steps of the internal reference */
    return channel == SUPPLY ? analog_supply(n) / 3 : 0;
}

static void soc_adc_begin(struct node *n, const struct device *d, bool extra)
{
    struct soc_adc *s = device_state(n, d);
    unsigned rate = soc_adc_get(n, d, extra ? ADCCON3 : ADCCON2) >> 4 & 3;
    s->extra = extra;
    event_in(n, d, 0, CLOCK_TICK, node_ticks(n, (20 << rate) * 1e-6));
}

/* Signed and left-aligned in 16 bits, with the lowest two always 0. */
static void soc_adc_event(struct node *n, const struct device *d, unsigned event)
{
    const struct soc_adc *s = device_state(n, d);
    uint32_t control = soc_adc_get(n, d, s->extra ? ADCCON3 : ADCCON2);
    int32_t reference = control >> 6 == SUPPLY_REFERENCE ? analog_supply(n) : INTERNAL_UV;
    (void)event;
    if ((control >> 6 & 3) % 2)
        reference = soc_adc_pin(n, 7);
    int64_t value = (int64_t)soc_adc_input(n, control & 15) * 2048 / (reference > 0 ? reference : 1);
    value = value > 2047 ? 2047 : value < -2048 ? -2048 : value;
    uint32_t bits = (uint32_t)(value * 16) & 0xfffc;
    block32_set(n, d, 4 * ADCL, bits & 0xff);
    block32_set(n, d, 4 * ADCH, bits >> 8);
    block32_set(n, d, 4 * ADCCON1, (soc_adc_get(n, d, ADCCON1) | END_OF_CONVERSION) & ~(uint32_t)START);
    if (s->extra) {
        node_irq(n, block32_of(d)->line, true);
        node_irq(n, block32_of(d)->line, false);
    }
}

/* ---- random numbers: x^16 + x^15 + x^2 + 1 ---- */

static void soc_adc_shift(struct soc_adc *s, unsigned bit)
{
    unsigned out = (s->random >> 15 ^ bit) & 1;
    s->random = (uint16_t)(s->random << 1 ^ (out ? 0x8005 : 0));
}

static void soc_adc_clock(struct soc_adc *s, unsigned byte, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        soc_adc_shift(s, byte >> (7 - i % 8) & 1);
}

/* ---- registers ---- */

static void soc_adc_read(struct node *n, const struct device *d, unsigned role)
{
    const struct soc_adc *s = device_state(n, d);
    if (role == RNDL)
        block32_set(n, d, 4 * RNDL, s->random & 0xff);
    else if (role == RNDH)
        block32_set(n, d, 4 * RNDH, s->random >> 8);
    else if (role == ADCH)
        block32_set(n, d, 4 * ADCCON1, soc_adc_get(n, d, ADCCON1) & ~(uint32_t)END_OF_CONVERSION);
}

static void soc_adc_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    struct soc_adc *s = device_state(n, d);
    (void)old;
    if (role == ADCCON1) {
        if ((value & RANDOM) == RANDOM_ONCE) /* cleared when it is done, at once */
            soc_adc_clock(s, 0, 13);
        block32_set(n, d, 4 * ADCCON1,
                    (value & 0x7b & ~(uint32_t)RANDOM_ONCE) | (soc_adc_get(n, d, ADCCON1) & END_OF_CONVERSION));
        if (value & START)
            soc_adc_begin(n, d, false);
    } else if (role == ADCCON3) {
        soc_adc_begin(n, d, true);
    } else if (role == RNDL) { /* two writes set all of it */
        s->random = (uint16_t)(s->random << 8 | (value & 0xff));
    } else if (role == RNDH) {
        soc_adc_clock(s, value, 8);
    }
}

const struct device_type cc2538_soc_adc = {
    .name = "adc",
    .state_size = sizeof(struct soc_adc),
    .events = 1,
    .connect = soc_adc_connect,
    .reset = soc_adc_reset,
    .event = soc_adc_event,
    .read = soc_adc_read,
    .write = soc_adc_write,
};
