#include "part/sht11.h"

#include "device/bit_order.h"
#include "node/node.h"
#include "node/pins.h"

enum { TEMPERATURE = 0x03, HUMIDITY = 0x05, WRITE_STATUS = 0x06, READ_STATUS = 0x07, SOFT_RESET = 0x1e };
enum { LOW_RESOLUTION = 0x01, HEATER = 0x04, STATUS_MASK = 0x07 };
enum { ROLE_DATA, ROLE_CLOCK, ROLE_POWER, ROLE_TEMPERATURE, ROLE_HUMIDITY };
enum phase { IDLE, RECEIVING, MEASURING, READY, SENDING };

/* How far a transmission start has got: DATA falls while SCK is high, SCK goes low and high, DATA rises. */
enum start { START_NONE, START_FELL, START_LOW, START_HIGH };

static const double seconds_14 = 0.210, seconds_12 = 0.055, seconds_8 = 0.011; /* table 2, by resolution */

struct state {
    uint8_t phase;
    uint8_t start;
    uint8_t pulling;
    uint8_t bits; /* of the byte under way; the ninth is the acknowledge */
    uint8_t byte;
    uint8_t command; /* 0: the byte under way is one */
    uint8_t status;
    uint8_t left; /* bytes to send */
    uint8_t out[3];
};

static void sht11_connect(const struct device *d, struct wiring *w)
{
    const struct sht11 *c = d->config;
    wire_pin(w, d, c->data, ROLE_DATA);
    wire_drive(w, d, c->data);
    wire_pin(w, d, c->clock, ROLE_CLOCK);
    wire_pin(w, d, c->power, ROLE_POWER);
    wire_analog(w, d, c->temperature_line, ROLE_TEMPERATURE);
    wire_analog(w, d, c->humidity_line, ROLE_HUMIDITY);
    wire_quantity(w, d, (struct quantity){"temperature", "C", c->temperature_line, 0, 1e6});
    wire_quantity(w, d, (struct quantity){"humidity", "%", c->humidity_line, 0, 1e6});
}

static int32_t sht11_analog(struct node *n, const struct device *d, unsigned role)
{
    const struct sht11 *c = d->config;
    (void)n;
    return role == ROLE_TEMPERATURE ? c->temperature : c->humidity;
}

static void sht11_pull(struct node *n, const struct device *d, bool low)
{
    const struct sht11 *c = d->config;
    struct state *s = device_state(n, d);
    s->pulling = low;
    pin_drive(n, c->data, low ? PIN_LOW : PIN_PULLED_UP);
}

static void sht11_forget(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    event_cancel(n, d, 0);
    *s = (struct state){.phase = IDLE};
    sht11_pull(n, d, false);
}

static void sht11_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    (void)cause;
    sht11_forget(n, d);
}

static bool powered(const struct node *n, const struct sht11 *c)
{
    return c->power == PIN_NONE || pin_level(n, c->power);
}

/* ---- measuring ---- */

/* Section 4.3, at 3 V: T = -39.6 + 0.01 SO with 14 bits, four times the step with 12. */
static unsigned temperature_reading(int32_t microdegrees, bool low)
{
    int32_t step = low ? 40000 : 10000, from = microdegrees + 39600000, top = low ? 0xfff : 0x3fff;
    int32_t reading = from < 0 ? 0 : (from + step / 2) / step;
    return (unsigned)(reading > top ? top : reading);
}

/* Section 4.1: RH = -4 + 0.0405 SO - 2.8e-6 SO^2 with 12 bits, -4 + 0.648 SO - 7.2e-4 SO^2 with 8; grows over the whole
 * range. In millionths of a per cent. */
static unsigned humidity_reading(int32_t humidity, bool low)
{
    int64_t linear = low ? 648000 : 40500, square = low ? 7200 : 28; /* the latter in tenths */
    unsigned top = low ? 0xff : 0xfff, reading = 0;
    while (reading < top && -4000000 + linear * reading - square * reading * reading / 10 < humidity)
        reading++;
    return reading;
}

/* The polynomial is x^8 + x^5 + x^4 + 1, the start the low nibble of the status register reversed (application note
 * "CRC calculation"); it is sent with its bits reversed. */
static uint8_t checksum(const struct state *s, const uint8_t *bytes, unsigned count)
{
    unsigned crc = bit_order_reversed(s->status & 0x0f);
    for (unsigned i = 0; i <= count; i++) {
        crc ^= i ? bytes[i - 1] : s->command;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc << 1 ^ (crc & 0x80 ? 0x31 : 0)) & 0xff;
    }
    return bit_order_reversed((uint8_t)crc);
}

static void sht11_prepare(struct state *s, unsigned count)
{
    s->out[count] = checksum(s, s->out, count);
    s->left = (uint8_t)(count + 1);
    s->bits = 0;
    s->byte = s->out[0];
}

/* A measurement is done. */
static void sht11_event(struct node *n, const struct device *d, unsigned which)
{
    const struct sht11 *c = d->config;
    struct state *s = device_state(n, d);
    (void)which;
    bool low = s->status & LOW_RESOLUTION;
    unsigned reading = s->command == TEMPERATURE ? temperature_reading(analog_read(n, c->temperature_line), low)
                                                 : humidity_reading(analog_read(n, c->humidity_line), low);
    s->out[0] = (uint8_t)(reading >> 8);
    s->out[1] = (uint8_t)reading;
    sht11_prepare(s, 2);
    s->phase = READY;
    sht11_pull(n, d, true);
}

static void sht11_measure(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    bool low = s->status & LOW_RESOLUTION, temperature = s->command == TEMPERATURE;
    double seconds = temperature ? (low ? seconds_12 : seconds_14) : low ? seconds_8 : seconds_12;
    s->phase = MEASURING;
    event_in(n, d, 0, CLOCK_TICK, node_ticks(n, seconds));
}

/* ---- protocol ---- */

static bool sht11_is_command(uint8_t byte)
{
    return byte == TEMPERATURE || byte == HUMIDITY || byte == WRITE_STATUS || byte == READ_STATUS || byte == SOFT_RESET;
}

static void send_bit(struct node *n, const struct device *d)
{
    const struct state *s = device_state(n, d);
    sht11_pull(n, d, !(s->byte >> (7 - s->bits) & 1));
}

/* Eight bits are in: acknowledged, unless nothing is known by that name. */
static void sht11_byte_received(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    if (!s->command && !sht11_is_command(s->byte))
        s->phase = IDLE;
    else
        sht11_pull(n, d, true);
}

/* The clock has fallen after the acknowledge: do what the byte asks for. */
static void sht11_act(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    uint8_t byte = s->byte;
    s->bits = s->byte = 0;
    sht11_pull(n, d, false);
    if (s->command == WRITE_STATUS) {
        s->status = byte & STATUS_MASK;
        s->phase = IDLE;
        return;
    }
    s->command = byte;
    switch (byte) {
    case TEMPERATURE:
    case HUMIDITY: sht11_measure(n, d); break;
    case READ_STATUS:
        s->out[0] = s->status;
        sht11_prepare(s, 1);
        s->phase = SENDING;
        send_bit(n, d);
        break;
    case SOFT_RESET: sht11_forget(n, d); break;
    default: break; /* the byte for the status register follows */
    }
}

/* After the acknowledge of a byte sent: the next, or the end. */
static void sht11_next_byte(struct node *n, const struct device *d, bool acknowledged)
{
    struct state *s = device_state(n, d);
    s->left--;
    if (!acknowledged || !s->left) {
        s->phase = IDLE;
        sht11_pull(n, d, false);
        return;
    }
    s->out[0] = s->out[1];
    s->out[1] = s->out[2];
    s->byte = s->out[0];
    s->bits = 0;
    send_bit(n, d);
}

static void clock_rises(struct node *n, const struct device *d)
{
    const struct sht11 *c = d->config;
    struct state *s = device_state(n, d);
    bool level = pin_level(n, c->data);
    if (s->phase == RECEIVING && s->bits < 8)
        s->byte = (uint8_t)(s->byte << 1 | level);
    if (s->phase == READY) {
        s->phase = SENDING;
        send_bit(n, d);
    }
    if (s->phase == SENDING && s->bits == 8)
        s->out[0] = level; /* what the other side says to the byte */
    if (s->phase == RECEIVING || s->phase == SENDING)
        s->bits++;
}

static void clock_falls(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    if (s->phase == RECEIVING && s->bits == 8)
        sht11_byte_received(n, d);
    else if (s->phase == RECEIVING && s->bits == 9)
        sht11_act(n, d);
    else if (s->phase == SENDING && s->bits < 8)
        send_bit(n, d);
    else if (s->phase == SENDING && s->bits == 8)
        sht11_pull(n, d, false);
    else if (s->phase == SENDING)
        sht11_next_byte(n, d, !s->out[0]);
}

static void begin_command(struct node *n, const struct device *d)
{
    struct state *s = device_state(n, d);
    event_cancel(n, d, 0);
    s->phase = RECEIVING;
    s->bits = s->byte = s->command = 0;
    sht11_pull(n, d, false);
}

static void watch_for_start(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct sht11 *c = d->config;
    struct state *s = device_state(n, d);
    bool high = pin_level(n, c->clock);
    if (role == ROLE_CLOCK) {
        s->start = s->start == START_FELL && !level ? START_LOW
                   : s->start == START_LOW && level ? START_HIGH
                                                    : START_NONE;
    } else if (!level && high) {
        s->start = START_FELL;
    } else if (level && high && s->start == START_HIGH) {
        s->start = START_NONE;
        begin_command(n, d);
    } else if (high) {
        s->start = START_NONE;
    }
}

static void sht11_input(struct node *n, const struct device *d, unsigned role, bool level)
{
    const struct sht11 *c = d->config;
    struct state *s = device_state(n, d);
    if (role == ROLE_POWER && !level)
        sht11_forget(n, d);
    if (role == ROLE_POWER || !powered(n, c) || (role == ROLE_DATA && s->pulling))
        return;
    if (role == ROLE_CLOCK && level)
        clock_rises(n, d);
    else if (role == ROLE_CLOCK)
        clock_falls(n, d);
    watch_for_start(n, d, role, level);
}

const struct device_type part_sht11 = {
    .name = "sht11",
    .state_size = sizeof(struct state),
    .events = 1,
    .connect = sht11_connect,
    .reset = sht11_reset,
    .event = sht11_event,
    .input = sht11_input,
    .analog = sht11_analog,
};
