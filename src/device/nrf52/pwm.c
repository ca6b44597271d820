#include "device/nrf52/pwm.h"

#include "device/nrf52/clock.h"
#include "node/clock.h"
#include "node/pins.h"

enum { STOP = 1, SEQSTART = 2, NEXTSTEP = 4 };
enum { STOPPED = 1, SEQSTARTED = 2, SEQEND = 4, PERIODEND = 6, LOOPSDONE = 7 };
enum {
    ENABLE = 0x500,
    MODE = 0x504,
    COUNTERTOP = 0x508,
    PRESCALER = 0x50c,
    DECODER = 0x510,
    LOOP = 0x514,
    SEQUENCE = 0x520, /* PTR, CNT, REFRESH, ENDDELAY */
    PSEL_OUT = 0x560,
};
enum { PTR, CNT = 4, REFRESH = 8, ENDDELAY = 12, SEQUENCE_SIZE = 0x20 };
enum { LOAD_COMMON, LOAD_GROUPED, LOAD_INDIVIDUAL, LOAD_WAVEFORM, BY_NEXTSTEP = 1 << 8 };
enum { SHORT_SEQEND_STOP = 0, SHORT_LOOPSDONE_SEQSTART = 2, SHORT_LOOPSDONE_STOP = 4 };
enum { CHANNELS = 4, FALLING = 0x8000, LEAST_TOP = 3, PINS = 48 };
enum { EVENT_PERIOD, EVENT_EDGES, EVENTS = EVENT_EDGES + CHANNELS };
enum { ROLE_ENABLE = NRF52_OWN };
enum { UNSPECIFIED_TOP, UNSPECIFIED_EMPTY };

struct pwm {
    uint64_t began;           /* cycle of the 16 MHz clock at which this period began */
    uint32_t position;        /* of the sequence's next value, in half words */
    uint32_t held;            /* periods for which the value still stays */
    uint32_t loops;           /* rounds of LOOP that are left */
    uint16_t value[CHANNELS]; /* what the channels compare with, and their polarity */
    uint16_t top;
    uint8_t pin[CHANNELS]; /* PINS: none */
    uint8_t shift, updown; /* of this period */
    uint8_t running, stopping, stepping;
    uint8_t sequence, next; /* next: 1 + the sequence that begins with the next period; 0: none */
};

static uint32_t nrf52_pwm_of_sequence(const struct node *n, const struct device *d, uint32_t which)
{
    const struct pwm *s = device_state(n, d);
    return nrf52_get(n, d, SEQUENCE + SEQUENCE_SIZE * s->sequence + which);
}

static void nrf52_pwm_connect(const struct device *d, struct wiring *w)
{
    nrf52_block_wire(w, d, 0x1e, 0xfe, 0x1f);
    nrf52_told(w, d, ENABLE, ROLE_ENABLE, WIRE_STORE);
    nrf52_plain(w, d, MODE, 1);
    nrf52_plain(w, d, COUNTERTOP, 0x7fff);
    nrf52_plain(w, d, PRESCALER, 7);
    nrf52_plain(w, d, DECODER, 0x103);
    nrf52_plain(w, d, LOOP, 0xffff);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t sequence = SEQUENCE + SEQUENCE_SIZE * i;
        nrf52_plain(w, d, sequence + PTR, 0xffffffff);
        nrf52_plain(w, d, sequence + CNT, 0x7fff);
        nrf52_plain(w, d, sequence + REFRESH, 0xffffff);
        nrf52_plain(w, d, sequence + ENDDELAY, 0xffffff);
    }
    for (uint32_t i = 0; i < CHANNELS; i++)
        nrf52_plain(w, d, PSEL_OUT + 4 * i, 0xffffffff);
}

static void nrf52_pwm_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    struct pwm *s = device_state(n, d);
    *s = (struct pwm){0};
    nrf52_set(n, d, COUNTERTOP, 0x3ff);
    for (uint32_t i = 0; i < 2; i++)
        nrf52_set(n, d, SEQUENCE + SEQUENCE_SIZE * i + REFRESH, 1);
    for (uint32_t i = 0; i < CHANNELS; i++) {
        s->pin[i] = PINS;
        nrf52_set(n, d, PSEL_OUT + 4 * i, 0xffffffff);
    }
}

/* ---- outputs ---- */

static uint32_t nrf52_pwm_length(const struct pwm *s)
{
    return (uint32_t)s->top << s->updown;
}

/* A value that the counter does not reach makes no edge: then the level is the one before it. */
static bool nrf52_pwm_level(const struct pwm *s, unsigned channel, uint32_t count)
{
    uint32_t value = s->value[channel] & ~FALLING;
    bool falling = s->value[channel] & FALLING;
    if (value >= s->top)
        return falling;
    bool reached = count >= value && (!s->updown || !value || count < nrf52_pwm_length(s) - value);
    return reached != falling;
}

static void nrf52_pwm_edge(struct node *n, const struct device *d, unsigned channel)
{
    const struct pwm *s = device_state(n, d);
    if (s->pin[channel] >= PINS)
        return;
    uint32_t count = (uint32_t)(node_cycle(n, NRF52_CLOCK_16M) - s->began) >> s->shift;
    uint32_t value = s->value[channel] & ~FALLING, back = nrf52_pwm_length(s) - value;
    bool high = nrf52_pwm_level(s, channel, count);
    pin_set_override(n, s->pin[channel], high ? PIN_OUTPUT_HIGH : PIN_OUTPUT_LOW);
    event_cancel(n, d, EVENT_EDGES + channel);
    if (!value || value >= s->top)
        return;
    if (count < value)
        event_at(n, d, EVENT_EDGES + channel, NRF52_CLOCK_16M, s->began + ((uint64_t)value << s->shift));
    else if (s->updown && count < back)
        event_at(n, d, EVENT_EDGES + channel, NRF52_CLOCK_16M, s->began + ((uint64_t)back << s->shift));
}

static void nrf52_pwm_hold_pin(struct node *n, const struct device *d, unsigned channel, unsigned pin)
{
    struct pwm *s = device_state(n, d);
    if (s->pin[channel] < PINS && s->pin[channel] != pin)
        pin_set_override(n, s->pin[channel], PIN_NO_OVERRIDE);
    s->pin[channel] = (uint8_t)pin;
}

static void nrf52_pwm_take_pins(struct node *n, const struct device *d)
{
    unsigned channels = (nrf52_get(n, d, DECODER) & 3) == LOAD_WAVEFORM ? CHANNELS - 1 : CHANNELS;
    for (unsigned i = 0; i < CHANNELS; i++) {
        uint32_t select = nrf52_get(n, d, PSEL_OUT + 4 * i);
        nrf52_pwm_hold_pin(n, d, i, i < channels && select < PINS ? select : PINS);
    }
}

static void nrf52_pwm_give_pins(struct node *n, const struct device *d)
{
    for (unsigned i = 0; i < CHANNELS; i++)
        nrf52_pwm_hold_pin(n, d, i, PINS);
}

/* ---- sequences ---- */

static void nrf52_pwm_task(struct node *n, const struct device *d, unsigned task);

static uint16_t nrf52_pwm_fetch(const struct node *n, uint32_t address)
{
    return (uint16_t)(nrf52_dma_fetch(n, address) | nrf52_dma_fetch(n, address + 1) << 8);
}

static bool nrf52_pwm_at_end(const struct node *n, const struct device *d)
{
    const struct pwm *s = device_state(n, d);
    return s->position >= nrf52_pwm_of_sequence(n, d, CNT);
}

/* The next value of the sequence; the last one ends it. */
static void nrf52_pwm_load(struct node *n, const struct device *d)
{
    static const uint8_t words[4] = {1, 2, 4, 4};
    struct pwm *s = device_state(n, d);
    unsigned load = nrf52_get(n, d, DECODER) & 3;
    uint32_t from = nrf52_pwm_of_sequence(n, d, PTR) + 2 * s->position;
    for (unsigned i = 0; i < CHANNELS; i++)
        s->value[i] = nrf52_pwm_fetch(n, from + 2 * (i * words[load] / CHANNELS));
    s->top = (uint16_t)(load == LOAD_WAVEFORM ? s->value[CHANNELS - 1] & 0x7fff : nrf52_get(n, d, COUNTERTOP));
    if (s->top < LEAST_TOP) {
        node_unspecified(n, d, UNSPECIFIED_TOP);
        s->top = LEAST_TOP;
    }
    s->position += words[load];
    s->held = nrf52_pwm_of_sequence(n, d, REFRESH);
    if (!nrf52_pwm_at_end(n, d))
        return;
    unsigned sequence = s->sequence;
    s->held += nrf52_pwm_of_sequence(n, d, ENDDELAY);
    nrf52_happens(n, d, SEQEND + sequence);
    if (nrf52_get(n, d, NRF52_SHORTS) >> (SHORT_SEQEND_STOP + sequence) & 1)
        nrf52_pwm_task(n, d, STOP);
}

static void nrf52_pwm_begin_sequence(struct node *n, const struct device *d)
{
    struct pwm *s = device_state(n, d);
    s->sequence = (uint8_t)(s->next - 1);
    s->next = 0;
    s->position = 0;
    if (!nrf52_pwm_of_sequence(n, d, CNT))
        node_unspecified(n, d, UNSPECIFIED_EMPTY);
    nrf52_pwm_load(n, d);
    nrf52_happens(n, d, SEQSTARTED + s->sequence);
}

static void nrf52_pwm_begin_period(struct node *n, const struct device *d)
{
    struct pwm *s = device_state(n, d);
    s->began = node_cycle(n, NRF52_CLOCK_16M);
    s->shift = (uint8_t)(nrf52_get(n, d, PRESCALER) & 7);
    s->updown = (uint8_t)(nrf52_get(n, d, MODE) & 1);
    event_at(n, d, EVENT_PERIOD, NRF52_CLOCK_16M, s->began + ((uint64_t)nrf52_pwm_length(s) << s->shift));
    for (unsigned i = 0; i < CHANNELS; i++)
        nrf52_pwm_edge(n, d, i);
}

/* Two sequences in turns are a round of LOOP. */
static void nrf52_pwm_after_sequence(struct node *n, const struct device *d)
{
    struct pwm *s = device_state(n, d);
    if (!s->loops)
        return;
    if (s->sequence == 0) {
        s->next = 2;
    } else if (--s->loops) {
        s->next = 1;
    } else {
        uint32_t shorts = nrf52_get(n, d, NRF52_SHORTS);
        nrf52_happens(n, d, LOOPSDONE);
        for (unsigned i = 0; i < 2; i++)
            if (shorts >> (SHORT_LOOPSDONE_SEQSTART + i) & 1)
                nrf52_pwm_task(n, d, SEQSTART + i);
        if (shorts >> SHORT_LOOPSDONE_STOP & 1)
            nrf52_pwm_task(n, d, STOP);
    }
}

static void nrf52_pwm_advance(struct node *n, const struct device *d)
{
    struct pwm *s = device_state(n, d);
    bool by_step = nrf52_get(n, d, DECODER) & BY_NEXTSTEP;
    if (by_step ? !s->stepping : s->held) {
        s->held -= !by_step;
        return;
    }
    s->stepping = 0;
    if (nrf52_pwm_at_end(n, d))
        nrf52_pwm_after_sequence(n, d);
    else
        nrf52_pwm_load(n, d);
}

static void nrf52_pwm_halt(struct node *n, const struct device *d)
{
    struct pwm *s = device_state(n, d);
    s->running = s->stopping = s->stepping = 0;
    for (unsigned i = 0; i < EVENTS; i++)
        event_cancel(n, d, i);
}

static void nrf52_pwm_start(struct node *n, const struct device *d)
{
    struct pwm *s = device_state(n, d);
    s->running = 1;
    nrf52_pwm_take_pins(n, d);
    nrf52_pwm_begin_sequence(n, d);
    nrf52_pwm_begin_period(n, d);
}

static void nrf52_pwm_end_period(struct node *n, const struct device *d)
{
    struct pwm *s = device_state(n, d);
    nrf52_happens(n, d, PERIODEND);
    if (s->running && !s->stopping && !s->next)
        nrf52_pwm_advance(n, d);
    if (s->stopping) {
        nrf52_pwm_halt(n, d);
        nrf52_happens(n, d, STOPPED);
        if (!s->running && s->next)
            nrf52_pwm_start(n, d);
    } else if (s->running) {
        if (s->next)
            nrf52_pwm_begin_sequence(n, d);
        nrf52_pwm_begin_period(n, d);
    }
}

static void nrf52_pwm_task(struct node *n, const struct device *d, unsigned task)
{
    struct pwm *s = device_state(n, d);
    if (task == NEXTSTEP) {
        s->stepping = s->running;
    } else if (task == STOP) {
        s->next = 0;
        s->stopping = s->running;
        if (!s->running)
            nrf52_happens(n, d, STOPPED);
    } else {
        s->next = (uint8_t)(1 + task - SEQSTART);
        s->loops = nrf52_get(n, d, LOOP);
        if (!s->running)
            nrf52_pwm_start(n, d);
    }
}

static void nrf52_pwm_event(struct node *n, const struct device *d, unsigned event)
{
    if (event == EVENT_PERIOD)
        nrf52_pwm_end_period(n, d);
    else
        nrf52_pwm_edge(n, d, event - EVENT_EDGES);
}

static void nrf52_pwm_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role == ROLE_ENABLE && !(value & 1)) {
        struct pwm *s = device_state(n, d);
        s->next = 0;
        nrf52_pwm_halt(n, d);
        nrf52_pwm_give_pins(n, d);
    } else if (role < NRF52_EVENT && value & 1 && nrf52_get(n, d, ENABLE) & 1) {
        nrf52_pwm_task(n, d, role);
    }
}

static const char *const nrf52_pwm_unspecified[] = {
    "the PWM counts to less than 3 (COUNTERTOP, or the fourth value of a wave form); Motet lets it count to 3",
    "the PWM is to play a sequence without values (SEQ[n].CNT); Motet plays one value",
};

const struct device_type nrf52_pwm = {
    .name = "pwm",
    .state_size = sizeof(struct pwm),
    .events = EVENTS,
    .connect = nrf52_pwm_connect,
    .reset = nrf52_pwm_reset,
    .event = nrf52_pwm_event,
    .write = nrf52_pwm_write,
    .unspecified = nrf52_pwm_unspecified,
};
