#include "node/taps.h"
#include "part/cc1000_internal.h"

#include <string.h>

#include "base/decibel.h"

enum { INTERMEDIATE_HZ = 150000, RSSI_SYMBOLS = 4 };

/* ---- settings ---- */

static uint32_t frequency_word(const struct cc1000 *s, unsigned at)
{
    return (uint32_t)s->registers[at] << 16 | (uint32_t)s->registers[at + 1] << 8 | s->registers[at + 2];
}

/* "Frequency programming": the carrier is at (FREQ + 8192) / 16384 of the reference, the centre half a separation
 * above; a receiver listens 150 kHz beside its oscillator. No register tells on which side, so its own is taken. */
static double centre(const struct cc1000_config *c, const struct cc1000 *s)
{
    unsigned divider = s->registers[PLL] >> 3 & 15;
    double reference = c->crystal / (divider ? divider : 1) / 16384;
    uint32_t word = frequency_word(s, s->registers[MAIN] & MAIN_F_REG ? FREQ_2B : FREQ_2A);
    double separation = (s->registers[FSEP1] & 7) << 8 | s->registers[FSEP0];
    double carrier = reference * ((double)word + 8192);
    return s->registers[MAIN] & MAIN_RXTX ? carrier + reference * separation / 2 : carrier;
}

/* "Modem": 600 baud times a power of two for a crystal of the class XOSC_FREQ tells, half of it with Manchester. */
static uint32_t bit_rate(const struct cc1000_config *c, const struct cc1000 *s)
{
    static const double classes[4] = {3686400, 7372800, 11059200, 14745600};
    unsigned code = s->registers[MODEM0] >> 4 & 7, format = s->registers[MODEM0] >> 2 & 3;
    double baud = 600.0 * (1u << (code > 5 ? 5 : code)) * (c->crystal / classes[s->registers[MODEM0] & 3]);
    return (uint32_t)(format == 1 ? baud / 2 + 0.5 : baud + 0.5);
}

/* "Output power programming", table 6, 868 MHz: the high nibble drives the second amplifier. Rounded to the rows that
 * drivers use. */
static double cc1000_data_output_power(unsigned level)
{
    static const struct {
        uint8_t level;
        int8_t dbm;
    } rows[] = {{0xff, 5},  {0xe0, 4},  {0xb0, 3},  {0x90, 2},  {0x80, 1},   {0x60, 0},   {0x50, -1},  {0x40, -3},
                {0x0f, -3}, {0x0c, -4}, {0x09, -6}, {0x07, -8}, {0x05, -11}, {0x03, -15}, {0x02, -20}, {0x01, -26}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (level >= rows[i].level)
            return rows[i].dbm;
    return DECIBEL_NOTHING;
}

static enum cc1000_mode wanted_mode(const struct cc1000 *s)
{
    uint8_t main = s->registers[MAIN];
    if (!(main & MAIN_RESET_N) || main & (MAIN_CORE_PD | MAIN_FS_PD))
        return CC1000_OFF;
    if (main & MAIN_RXTX)
        return main & MAIN_TX_PD ? CC1000_OFF : CC1000_TRANSMITS;
    return main & MAIN_RX_PD ? CC1000_OFF : CC1000_RECEIVES;
}

/* With its crystal running it is more than off. */
static enum motet_radio_state radio_state(const struct cc1000 *s, enum cc1000_mode mode)
{
    bool core = s->registers[MAIN] & MAIN_RESET_N && !(s->registers[MAIN] & MAIN_CORE_PD);
    if (mode == CC1000_OFF)
        return core ? MOTET_RADIO_IDLE : MOTET_RADIO_OFF;
    return mode == CC1000_RECEIVES ? MOTET_RADIO_LISTENING : MOTET_RADIO_SENDING;
}

/* Ticks for a number of bits. */
static uint64_t bits_long(const struct node *n, const struct cc1000 *s, uint64_t bits)
{
    return (bits * n->machine->hz + s->rate / 2) / s->rate;
}

/* ---- transmission ---- */

static struct air_message cc1000_data_message(const struct node *n, const struct cc1000 *s, enum air_kind kind,
                                              uint64_t tick)
{
    struct air_message m;
    memset(&m, 0, sizeof m);
    m.kind = kind;
    m.modulation = AIR_FSK_MANCHESTER;
    m.sender = n->id;
    m.transmission = s->transmission;
    m.tick = tick;
    m.hertz = s->hertz;
    m.bit_rate = s->rate;
    m.dbm = (float)cc1000_data_output_power(s->registers[PA_POW]);
    return m;
}

static uint64_t cc1000_data_ahead(const struct node *n)
{
    return node_now(n) + node_ticks(n, AIR_AHEAD) + 1;
}

static void cc1000_data_begin(struct node *n, struct cc1000 *s)
{
    s->transmission++;
    s->begin = cc1000_data_ahead(n);
    s->sent_bytes = 0;
    struct air_message m = cc1000_data_message(n, s, AIR_BEGIN, s->begin);
    air_send(n, &m);
}

static void cc1000_data_say(struct node *n, struct cc1000 *s, uint8_t byte)
{
    if (s->begin == NEVER)
        cc1000_data_begin(n, s);
    uint64_t tick = s->begin + bits_long(n, s, 8u * s->sent_bytes);
    struct air_message m =
        cc1000_data_message(n, s, AIR_BYTES, tick > cc1000_data_ahead(n) ? tick : cc1000_data_ahead(n));
    m.first = s->sent_bytes++;
    m.count = 1;
    m.bytes[0] = byte;
    air_send(n, &m);
}

/* Everything is late by one byte and AIR_AHEAD; so is the end. */
static void cc1000_data_end(struct node *n, struct cc1000 *s)
{
    if (s->begin == NEVER)
        return;
    struct air_message m = cc1000_data_message(n, s, AIR_END, cc1000_data_ahead(n) + bits_long(n, s, 8));
    s->begin = NEVER;
    air_send(n, &m);
}

/* ---- reception ---- */

/* Six decibels below what is in the 2 MHz of the other radios: a receiver of -97 dBm at 38.4 kBaud (table 3). */
static double cc1000_data_noise(const struct node *n)
{
    return decibel_ratio((double)air_noise(n)) * 0.25118864315095801;
}

static double tuned(const struct cc1000 *s, const struct sound *sound)
{
    double offset = sound->hertz > s->hertz ? sound->hertz - s->hertz : s->hertz - sound->hertz;
    return sound->milliwatts > 0 && sound->modulation == AIR_FSK_MANCHESTER && offset < 2.0 * INTERMEDIATE_HZ;
}

static int strongest(const struct cc1000 *s, uint64_t from, uint64_t to)
{
    int best = -1;
    for (int i = 0; i < EARSHOT_SOUNDS; i++) {
        const struct sound *sound = &s->ear.sounds[i];
        if (tuned(s, sound) && sound->begin < to && sound->end > from &&
            (best < 0 || sound->milliwatts > s->ear.sounds[best].milliwatts))
            best = i;
    }
    return best;
}

/* Errors of non-coherent FSK at the ratio of 30 kHz of noise to 19.2 kbit/s (Zuniga and Krishnamachari 2004). */
static uint32_t error_threshold(double sinr)
{
    double rate = sinr > 60 ? 0 : 0.5 * decibel_ratio(-sinr / 1.28 * 4.34294481903251827651);
    return (uint32_t)(rate * 4294967295.0);
}

/* An oscillator above the signal mirrors it: the higher of the two frequencies becomes the lower one around 150 kHz,
 * and every bit is inverted. Follows from mixing, and TinyOS's driver inverts what it receives for its high-side
 * channels. */
static unsigned mirrored(const struct cc1000 *s, const struct sound *sound)
{
    return s->hertz > sound->hertz;
}

/* The bit of the sound that is on the air in the middle of ours, for any phases; NEVER if there is none. */
static uint64_t bit_at(const struct node *n, const struct cc1000 *s, const struct sound *sound, uint64_t tick)
{
    if (tick < sound->begin || tick >= sound->end)
        return NEVER;
    uint64_t bit = (tick - sound->begin) * s->rate / n->machine->hz, byte = bit / 8;
    return byte >= sound->count || byte + AIR_BYTES_MAX <= sound->count ? NEVER : bit;
}

static uint8_t received_byte(struct node *n, struct cc1000 *s)
{
    uint64_t to = node_now(n), from = to - bits_long(n, s, 8);
    uint8_t random = (uint8_t)node_random(n), byte = 0;
    int best = strongest(s, from, to);
    if (best < 0)
        return random;
    const struct sound *sound = &s->ear.sounds[best];
    double sinr = sound->milliwatts / (cc1000_data_noise(n) + earshot_interference(&s->ear, s->hertz, best, from, to));
    uint32_t threshold = error_threshold(sinr);
    for (unsigned i = 0; i < 8; i++) {
        uint64_t at = bit_at(n, s, sound, from + bits_long(n, s, 2 * i + 1) / 2);
        unsigned bit = random >> i & 1;
        bool damaged = threshold && node_random(n) < threshold;
        if (at != NEVER) {
            bit = (sound->bytes[at / 8 % AIR_BYTES_MAX] >> (7 - at % 8) & 1) ^ mirrored(s, sound);
            radio_events_bit(n, sound->sender, sound->transmission, (uint32_t)at, !damaged);
        }
        byte = (uint8_t)(byte << 1 | (bit ^ damaged));
    }
    return byte;
}

/* ---- the data clock ---- */

static void cc1000_data_plan(struct node *n, const struct device *d)
{
    struct cc1000 *s = device_state(n, d);
    event_at(n, d, EVENT_CLOCK, CLOCK_TICK, s->clock_start + bits_long(n, s, 8 * (s->clock_bytes + 1)));
}

/* DIO is one line for both directions (MICA2: at MOSI and at MISO). So a slave that is not given the next byte repeats
 * the last one, with which TinyOS makes the preamble of its acknowledgements. */
void cc1000_clock(struct node *n, const struct device *d)
{
    const struct cc1000_config *c = d->config;
    struct cc1000 *s = device_state(n, d);
    s->clock_bytes++;
    bool receives = s->mode == CC1000_RECEIVES;
    uint8_t sent = receives ? spi_exchange(n, c->bus, received_byte(n, s)) : spi_exchange_same(n, c->bus);
    if (s->mode == CC1000_TRANSMITS && s->registers[PA_POW])
        cc1000_data_say(n, s, sent);
    cc1000_data_plan(n, d);
}

void cc1000_switch(struct node *n, const struct device *d)
{
    const struct cc1000_config *c = d->config;
    struct cc1000 *s = device_state(n, d);
    enum cc1000_mode mode = wanted_mode(s);
    uint32_t rate = bit_rate(c, s);
    if (mode != s->mode || rate != s->rate || s->registers[PA_POW] == 0)
        cc1000_data_end(n, s);
    s->hertz = s->begin == NEVER ? centre(c, s) : s->hertz;
    radio_events_state(n, radio_state(s, mode));
    if (mode == s->mode && rate == s->rate)
        return;
    s->mode = (uint8_t)mode;
    s->rate = rate;
    s->clock_start = node_now(n);
    s->clock_bytes = 0;
    if (mode == CC1000_OFF)
        event_cancel(n, d, EVENT_CLOCK);
    else
        cc1000_data_plan(n, d);
}

void cc1000_hear(struct node *n, const struct device *d, const struct air_message *m)
{
    struct cc1000 *s = device_state(n, d);
    earshot_hear(n, &s->ear, m);
}

/* "RSSI output": the stronger the signal the lower, between 0 and 1.2 V; one line for 433 MHz, one for 868 MHz. */
int32_t cc1000_rssi(struct node *n, const struct device *d, unsigned role)
{
    (void)role;
    const struct cc1000 *s = device_state(n, d);
    if (s->mode != CC1000_RECEIVES)
        return 0;
    uint64_t now = node_now(n), window = bits_long(n, s, RSSI_SYMBOLS);
    double power = cc1000_data_noise(n) + earshot_energy(&s->ear, s->hertz, now > window ? now - window : 0, now);
    bool high = s->hertz > 600e6;
    double volts = high ? (decibel_of(power) + 45.5) / -50.0 : (decibel_of(power) + 49.2) / -51.3;
    return (int32_t)((volts < 0 ? 0 : volts > 1.2 ? 1.2 : volts) * 1e6);
}
