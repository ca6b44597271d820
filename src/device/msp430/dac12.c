#include "device/msp430/dac12.h"

#include "device/msp430/adc12.h"
#include "device/msp430/words.h"

/* DAC12_xCTL */
enum { GRP = 1, ENC = 2, IFG = 4, DF = 0x10, AMP = 5, IR = 0x100, CALON = 0x200, LSEL = 10, RES = 0x1000, SREF = 13 };
enum { LOCKED = 0x7ff0 };                            /* changes only while ENC is clear */
enum { AT_WRITE, AT_GROUP, AT_TIMER_A, AT_TIMER_B }; /* LSEL */
enum { CHANNELS = MSP430_DAC12_CHANNELS };

struct state {
    uint16_t latch[CHANNELS];
    uint8_t written[CHANNELS]; /* since the latch was loaded */
    uint8_t level[4];          /* of the timer outputs, by LSEL */
};

static void dac12_connect(const struct device *d, struct wiring *w)
{
    const struct msp430_dac12 *c = d->config;
    for (unsigned i = 0; i < CHANNELS; i++) {
        wire_register(w, d, c->ctl[i], i, WIRE_WRITE | WIRE_WORD, 0xffff);
        wire_register(w, d, c->dat[i], CHANNELS + i, WIRE_STORE | WIRE_WORD, 0x0fff);
        wire_analog(w, d, c->lines[i], i);
    }
}

static void dac12_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct state *s = device_state(n, d);
    (void)cause;
    *s = (struct state){.latch = {0}};
}

/* ---- output ---- */

/* Microvolts (18.2.2): N/4096 or N/256 of the reference, or of three times it, no more than the supply. */
static int32_t dac12_analog(struct node *n, const struct device *d, unsigned channel)
{
    const struct msp430_dac12 *c = d->config;
    const struct state *s = device_state(n, d);
    unsigned ctl = word_get(n, c->ctl[channel]);
    if ((ctl >> AMP & 7) < 2)
        return 0;
    unsigned steps = ctl & RES ? 256 : 4096, value = s->latch[channel] % steps;
    if (ctl & DF)
        value ^= steps / 2;
    int64_t reference = ctl >> SREF & 2 ? analog_read(n, MSP430_LINE_VEREF_PLUS) : msp430_adc12_reference(n);
    int64_t out = reference * (ctl & IR ? 1 : 3) * value / steps;
    return (int32_t)(out < analog_supply(n) ? out : analog_supply(n));
}

/* ---- latches ---- */

static bool grouped(const struct node *n, const struct msp430_dac12 *c)
{
    return word_get(n, c->ctl[0]) & GRP;
}

/* In a group channel 1 decides for both (18.2.6). */
static unsigned select_of(const struct node *n, const struct msp430_dac12 *c, unsigned channel)
{
    return word_get(n, c->ctl[grouped(n, c) ? 1 : channel]) >> LSEL & 3;
}

static bool enabled(const struct node *n, const struct msp430_dac12 *c, unsigned channel)
{
    return word_get(n, c->ctl[channel]) & ENC;
}

static void latch(struct node *n, const struct device *d, unsigned channel)
{
    const struct msp430_dac12 *c = d->config;
    struct state *s = device_state(n, d);
    s->latch[channel] = word_get(n, c->dat[channel]);
    s->written[channel] = 0;
    if (select_of(n, c, channel) == AT_WRITE)
        return;
    word_set(n, c->ctl[channel], word_get(n, c->ctl[channel]) | IFG);
    msp430_shared_line_update(n, c->interrupt);
    if (channel == 0)
        msp430_dma_raise(n, c->latched);
}

static void dac12_written(struct node *n, const struct device *d, unsigned channel)
{
    const struct msp430_dac12 *c = d->config;
    struct state *s = device_state(n, d);
    unsigned how = select_of(n, c, channel);
    s->written[channel] = 1;
    if (how == AT_WRITE) {
        latch(n, d, channel);
    } else if (how == AT_GROUP && !grouped(n, c)) {
        if (enabled(n, c, channel))
            latch(n, d, channel);
    } else if (how == AT_GROUP && s->written[0] && s->written[1] && enabled(n, c, 0) && enabled(n, c, 1)) {
        latch(n, d, 0);
        latch(n, d, 1);
    }
}

static int output_of(unsigned select)
{
    return select == AT_TIMER_A ? MSP430_TA_OUT1 : select == AT_TIMER_B ? MSP430_TB_OUT2 : -1;
}

static bool channel_awaits(const struct node *n, const struct msp430_dac12 *c, unsigned channel, int output)
{
    return output_of(select_of(n, c, channel)) == output && enabled(n, c, channel);
}

bool msp430_dac12_awaits(const struct node *n, const struct device *d, enum msp430_output output)
{
    return channel_awaits(n, d->config, 0, (int)output) || channel_awaits(n, d->config, 1, (int)output);
}

void msp430_dac12_output(struct node *n, const struct device *d, enum msp430_output output, bool level)
{
    const struct msp430_dac12 *c = d->config;
    struct state *s = device_state(n, d);
    unsigned select = output == MSP430_TA_OUT1 ? AT_TIMER_A : output == MSP430_TB_OUT2 ? AT_TIMER_B : AT_WRITE;
    bool rises = level && !s->level[select];
    if (select == AT_WRITE)
        return;
    s->level[select] = level;
    for (unsigned i = 0; rises && i < CHANNELS; i++)
        if (channel_awaits(n, c, i, (int)output))
            latch(n, d, i);
}

/* ---- registers ---- */

/* Typical calibration times by DAC12AMP (18.2.5, datasheet). */
static double calibration_seconds(unsigned amplifier)
{
    return amplifier == 2 ? 0.1 : amplifier == 3 || amplifier == 5 ? 0.032 : 0.006;
}

static void dac12_write_control(struct node *n, const struct device *d, unsigned channel, unsigned value, unsigned old)
{
    const struct msp430_dac12 *c = d->config;
    unsigned now = (old & ENC ? (old & LOCKED) | (value & ~(unsigned)LOCKED) : value) & 0x7fff;
    word_set(n, c->ctl[channel], now);
    if (now & ~old & CALON)
        event_in(n, d, channel, CLOCK_TICK, node_ticks(n, calibration_seconds(now >> AMP & 7)));
    msp430_shared_line_update(n, c->interrupt);
    msp430_outputs_settle(n);
}

static void dac12_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    if (role < CHANNELS)
        dac12_write_control(n, d, role, value, old);
    else
        dac12_written(n, d, role - CHANNELS);
}

static void dac12_event(struct node *n, const struct device *d, unsigned channel)
{
    const struct msp430_dac12 *c = d->config;
    word_set(n, c->ctl[channel], word_get(n, c->ctl[channel]) & ~(unsigned)CALON);
}

const struct device_type msp430_dac12 = {
    .name = "dac12",
    .state_size = sizeof(struct state),
    .events = CHANNELS,
    .connect = dac12_connect,
    .reset = dac12_reset,
    .event = dac12_event,
    .write = dac12_write,
    .analog = dac12_analog,
};
