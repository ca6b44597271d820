#include "device/nrf52/saadc.h"

#include "device/analog.h"
#include "device/cortex/register32.h"
#include "device/nrf52/clock.h"
#include "isa/cortex/memory.h"

enum { START, SAMPLE, STOP, CALIBRATE };
enum { STARTED, END, DONE, RESULTDONE, CALIBRATEDONE, STOPPED, LIMITS /* of channel 0: high, low */ };
enum {
    STATUS = 0x400,
    ENABLE = 0x500,
    CHANNEL = 0x510, /* PSELP, PSELN, CONFIG, LIMIT */
    RESOLUTION = 0x5f0,
    OVERSAMPLE = 0x5f4,
    SAMPLERATE = 0x5f8,
    RESULT_PTR = 0x62c,
    RESULT_MAX = 0x630,
    RESULT_AMOUNT = 0x634,
};
enum { PSELP, PSELN = 4, CONFIG = 8, LIMIT = 12, CHANNEL_SIZE = 16, CHANNELS = 8 };
enum { EVENT_CONVERTED, EVENT_SAMPLE, EVENT_CALIBRATED, EVENTS };
enum { INPUT_VDD = 9, INPUT_VDDH_FIFTH = 13, RATE_TIMER = 1 << 12 };
enum { CONVERSION_US = 2, CALIBRATION_US = 1000 };

struct saadc {
    uint32_t pointer, room, amount; /* of the results of this START */
    uint8_t started, channel, converting;
};

static uint32_t nrf52_saadc_channel(const struct node *n, const struct device *d, unsigned channel, uint32_t which)
{
    return nrf52_get(n, d, CHANNEL + CHANNEL_SIZE * channel + which);
}

static void nrf52_saadc_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t plain[] = {ENABLE, RESOLUTION, OVERSAMPLE, SAMPLERATE, RESULT_PTR, RESULT_MAX};
    nrf52_block_wire(w, d, 0xf, 0x3fffff, 0);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        nrf52_plain(w, d, plain[i], 0xffffffff);
    for (uint32_t i = 0; i < CHANNELS * CHANNEL_SIZE; i += 4)
        nrf52_plain(w, d, CHANNEL + i, 0xffffffff);
    nrf52_plain(w, d, STATUS, 0);
    nrf52_plain(w, d, RESULT_AMOUNT, 0);
    for (unsigned i = 0; i < NRF52_SAADC_INPUTS; i++)
        wire_channel(w, d, i);
}

static void nrf52_saadc_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    *(struct saadc *)device_state(n, d) = (struct saadc){0};
    for (uint32_t i = 0; i < CHANNELS; i++) {
        nrf52_set(n, d, CHANNEL + CHANNEL_SIZE * i + CONFIG, 0x00020000);
        nrf52_set(n, d, CHANNEL + CHANNEL_SIZE * i + LIMIT, 0x7fff8000);
    }
    nrf52_set(n, d, RESOLUTION, 1);
}

/* Microvolts at what PSELP or PSELN selects. */
static int32_t nrf52_saadc_input(struct node *n, const struct device *d, uint32_t select)
{
    const struct nrf52_saadc *c = d->config;
    if (select >= 1 && select <= NRF52_SAADC_INPUTS)
        return analog_voltage(n, select - 1, c->pins[select - 1]);
    if (select == INPUT_VDD)
        return analog_supply(n);
    return select == INPUT_VDDH_FIFTH ? analog_supply(n) / 5 : 0;
}

/* Product Specification, 6.23.4: the voltage times GAIN / REFERENCE, in units of the resolution; half of them where
 * it is a difference, which has a sign. */
static int32_t nrf52_saadc_convert(struct node *n, const struct device *d, unsigned channel)
{
    static const double gains[8] = {1 / 6.0, 1 / 5.0, 1 / 4.0, 1 / 3.0, 1 / 2.0, 1, 2, 4};
    static const uint8_t bits[4] = {8, 10, 12, 14};
    uint32_t config = nrf52_saadc_channel(n, d, channel, CONFIG);
    bool difference = config >> 20 & 1;
    int32_t voltage = nrf52_saadc_input(n, d, nrf52_saadc_channel(n, d, channel, PSELP));
    if (difference)
        voltage -= nrf52_saadc_input(n, d, nrf52_saadc_channel(n, d, channel, PSELN));
    double reference = config >> 12 & 1 ? analog_supply(n) / 4.0 : 600000;
    int32_t full = 1 << (bits[nrf52_get(n, d, RESOLUTION) & 3] - difference);
    double result = voltage * gains[config >> 8 & 7] / reference * full;
    double least = difference ? -full : 0;
    return (int32_t)(result < least ? least : result > full - 1 ? full - 1 : result);
}

/* ---- rounds ---- */

static void nrf52_saadc_begin(struct node *n, const struct device *d, unsigned from)
{
    static const uint8_t acquisition_us[8] = {3, 5, 10, 15, 20, 40, 40, 40};
    struct saadc *s = device_state(n, d);
    while (from < CHANNELS && !nrf52_saadc_channel(n, d, from, PSELP))
        from++;
    s->converting = from < CHANNELS;
    nrf52_set(n, d, STATUS, s->converting);
    if (!s->converting)
        return;
    s->channel = (uint8_t)from;
    double us = acquisition_us[nrf52_saadc_channel(n, d, from, CONFIG) >> 16 & 7] + CONVERSION_US;
    event_in(n, d, EVENT_CONVERTED, CLOCK_TICK, node_ticks(n, us * 1e-6));
}

static void nrf52_saadc_store(struct node *n, const struct device *d, int32_t result)
{
    struct saadc *s = device_state(n, d);
    uint32_t to = s->pointer + 2 * s->amount;
    if (!map_is_register(n->machine, to) && map_place(n->machine, to) != MAP_NOWHERE)
        cortex_write(n, to, (uint32_t)result & 0xffff, 2);
    s->amount++;
    nrf52_set(n, d, RESULT_AMOUNT, s->amount);
}

static void nrf52_saadc_converted(struct node *n, const struct device *d)
{
    struct saadc *s = device_state(n, d);
    unsigned channel = s->channel;
    int32_t result = nrf52_saadc_convert(n, d, channel);
    uint32_t limit = nrf52_saadc_channel(n, d, channel, LIMIT);
    nrf52_saadc_begin(n, d, channel + 1);
    nrf52_saadc_store(n, d, result);
    nrf52_happens(n, d, DONE);
    nrf52_happens(n, d, RESULTDONE);
    if (result >= (int16_t)(limit >> 16))
        nrf52_happens(n, d, LIMITS + 2 * channel);
    if (result <= (int16_t)limit)
        nrf52_happens(n, d, LIMITS + 2 * channel + 1);
    if (s->amount == s->room) {
        event_cancel(n, d, EVENT_CONVERTED);
        s->started = s->converting = 0;
        nrf52_set(n, d, STATUS, 0);
        nrf52_happens(n, d, END);
    }
}

static void nrf52_saadc_sample(struct node *n, const struct device *d)
{
    const struct saadc *s = device_state(n, d);
    uint32_t rate = nrf52_get(n, d, SAMPLERATE);
    if (nrf52_get(n, d, OVERSAMPLE))
        node_unspecified(n, d, 0);
    if (rate & RATE_TIMER && s->started)
        event_in(n, d, EVENT_SAMPLE, NRF52_CLOCK_16M, rate & 0x7ff ? rate & 0x7ff : 1);
    if (s->started && !s->converting)
        nrf52_saadc_begin(n, d, 0);
}

static void nrf52_saadc_start(struct node *n, const struct device *d)
{
    struct saadc *s = device_state(n, d);
    s->pointer = nrf52_get(n, d, RESULT_PTR);
    s->room = nrf52_get(n, d, RESULT_MAX) & 0x7fff;
    s->amount = 0;
    s->started = s->room != 0;
    nrf52_set(n, d, RESULT_AMOUNT, 0);
    nrf52_happens(n, d, STARTED);
}

static void nrf52_saadc_stop(struct node *n, const struct device *d)
{
    struct saadc *s = device_state(n, d);
    event_cancel(n, d, EVENT_CONVERTED);
    event_cancel(n, d, EVENT_SAMPLE);
    s->started = s->converting = 0;
    nrf52_set(n, d, STATUS, 0);
    nrf52_happens(n, d, STOPPED);
}

static void nrf52_saadc_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_CONVERTED)
        nrf52_saadc_converted(n, d);
    else if (event == EVENT_SAMPLE)
        nrf52_saadc_sample(n, d);
    else
        nrf52_happens(n, d, CALIBRATEDONE);
}

static void nrf52_saadc_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value) || !(value & 1) || !(nrf52_get(n, d, ENABLE) & 1))
        return;
    switch (role) {
    case START: nrf52_saadc_start(n, d); break;
    case SAMPLE: nrf52_saadc_sample(n, d); break;
    case STOP: nrf52_saadc_stop(n, d); break;
    default: event_in(n, d, EVENT_CALIBRATED, CLOCK_TICK, node_ticks(n, CALIBRATION_US * 1e-6)); break;
    }
}

static const char *const nrf52_saadc_unspecified[] = {
    "the SAADC is to average samples (OVERSAMPLE), which Motet does not have: each result is of one sample",
};

const struct device_type nrf52_saadc = {
    .name = "saadc",
    .state_size = sizeof(struct saadc),
    .events = EVENTS,
    .connect = nrf52_saadc_connect,
    .reset = nrf52_saadc_reset,
    .event = nrf52_saadc_event,
    .write = nrf52_saadc_write,
    .unspecified = nrf52_saadc_unspecified,
};
