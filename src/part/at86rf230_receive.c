#include "node/taps.h"
#include "part/at86rf230_internal.h"

#include "base/decibel.h"

enum { MEASURE_SYMBOLS = 8, RSSI_BASE = -91, ED_MAX = 84, RSSI_MAX = 28 };

static double at86rf230_receive_noise(const struct node *n)
{
    return decibel_ratio((double)air_noise(n));
}

/* ---- energy ---- */

static double dbm(const struct node *n, const struct rf230 *s, uint64_t from, uint64_t to)
{
    return decibel_of(at86rf230_receive_noise(n) + earshot_energy(&s->heard.ear, s->heard.hertz, from, to));
}

static uint8_t energy_level(const struct node *n, const struct rf230 *s, uint64_t from, uint64_t to)
{
    double level = dbm(n, s, from, to) - RSSI_BASE;
    return (uint8_t)(level < 0 ? 0 : level > ED_MAX ? ED_MAX : level);
}

/* In steps of 3 dB; 0 is below -91 dBm ("Received signal strength indicator"). */
uint8_t rf230_rssi(const struct node *n, const struct rf230 *s)
{
    uint64_t now = node_now(n), symbol = earshot_symbols(n, 1);
    if (!rf230_listens(s) || now < symbol)
        return 0;
    double level = (dbm(n, s, now - symbol, now) - RSSI_BASE) / 3 + 1;
    return (uint8_t)(level < 1 ? 0 : level > RSSI_MAX ? RSSI_MAX : level);
}

/* Whether a carrier of our modulation, over the noise, was there. */
static bool carrier(const struct node *n, const struct rf230 *s, uint64_t from, uint64_t to)
{
    for (int i = 0; i < EARSHOT_SOUNDS; i++) {
        const struct sound *sound = &s->heard.ear.sounds[i];
        if (earshot_in_tune(sound, s->heard.hertz) && sound->noticed < to && sound->end > from &&
            sound->milliwatts > at86rf230_receive_noise(n))
            return true;
    }
    return false;
}

bool rf230_channel_clear(const struct node *n, const struct rf230 *s, uint64_t from, uint64_t to)
{
    bool loud = dbm(n, s, from, to) >= RSSI_BASE + 2 * (s->registers[CCA_THRES] & 15);
    bool sensed = s->receiving || carrier(n, s, from, to);
    switch (s->registers[PHY_CC_CCA] >> 5 & 3) { /* datasheet 5131A, table 8-8: 0 and 1 are energy alone */
    case 0:
    case 1: return !loud;
    case 2: return !sensed;
    default: return !(loud && sensed);
    }
}

/* An energy detection or a clear channel assessment: both measure over eight symbols and show their results. */
void rf230_measure(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    if (!rf230_listens(s))
        return;
    s->measured_from = node_now(n);
    event_in(n, d, EVENT_MEASURE, CLOCK_TICK, earshot_symbols(n, MEASURE_SYMBOLS));
}

void rf230_measured(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    uint64_t now = node_now(n);
    s->registers[PHY_ED_LEVEL] = energy_level(n, s, s->measured_from, now);
    if (s->registers[PHY_CC_CCA] & CCA_REQUEST) {
        s->registers[PHY_CC_CCA] &= (uint8_t)~CCA_REQUEST;
        s->registers[TRX_STATUS] =
            (uint8_t)(CCA_DONE | (rf230_channel_clear(n, s, s->measured_from, now) ? CCA_CLEAR : 0));
    }
}

/* ---- searching ---- */

static void at86rf230_receive_plan_search(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    if (event_cycle(n, d, EVENT_RECEIVE) <= node_now(n))
        return; /* due now, and plans anew itself */
    uint64_t next = reception_next(n, &s->heard, RF230_WORD);
    if (next == NEVER)
        event_cancel(n, d, EVENT_RECEIVE);
    else
        event_at(n, d, EVENT_RECEIVE, CLOCK_TICK, next);
}

void rf230_search(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    s->receiving = 0;
    s->heard.searching_since = node_now(n);
    at86rf230_receive_plan_search(n, d);
}

static bool at86rf230_receive_extended(const struct rf230 *s)
{
    return s->state == RX_AACK_ON || s->state == RX_AACK_ON_NOCLK || s->state == BUSY_RX_AACK;
}

static void at86rf230_receive_synchronise(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    if (!reception_begin(n, &s->heard, RF230_WORD, at86rf230_receive_noise(n)))
        return;
    s->receiving = 1;
    s->rx_next = s->rx_length = s->rx_rejected = 0;
    s->rx_crc = 0;
    s->rx_undecided = at86rf230_receive_extended(s);
    if (s->state != BUSY_TX_ARET)
        s->state = at86rf230_receive_extended(s) ? BUSY_RX_AACK : BUSY_RX;
}

/* ---- frames ---- */

static bool at86rf230_receive_for_us(const struct rf230 *s)
{
    const uint8_t *r = s->registers;
    struct frame154_filter f = {
        .pan = (uint16_t)(r[PAN_ID_0] | r[PAN_ID_0 + 1] << 8),
        .short_address = (uint16_t)(r[SHORT_ADDR_0] | r[SHORT_ADDR_0 + 1] << 8),
        .long_address = r + IEEE_ADDR_0,
        .coordinator = r[CSMA_SEED_1] & I_AM_COORD,
    };
    return frame154_type(s->rx_header) != FRAME154_ACK && frame154_accepted(s->rx_header, &f);
}

static void at86rf230_receive_judge(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    unsigned known = s->rx_next - 1u;
    if (known >= 3 && known >= frame154_header_length(s->rx_header)) {
        s->rx_undecided = 0;
        s->rx_rejected = !at86rf230_receive_for_us(s);
        if (!s->rx_rejected)
            rf230_interrupt(n, d, IRQ_RX_START);
    } else if (known >= s->rx_length) {
        s->rx_undecided = 0;
        s->rx_rejected = 1;
    }
}

static void at86rf230_receive_end_frame(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    bool good = s->rx_crc == 0 && s->rx_length >= 3;
    s->receiving = 0;
    if (s->state == BUSY_TX_ARET) {
        radio_events_fate(n, s->heard.sender, s->heard.transmission, good ? FATE_RECEIVED : (int)MOTET_LOSS_DAMAGED);
        rf230_aret_heard(n, d);
        return;
    }
    radio_events_fate(n, s->heard.sender, s->heard.transmission,
                      !good            ? (int)MOTET_LOSS_DAMAGED
                      : s->rx_rejected ? (int)MOTET_LOSS_ADDRESS
                                       : FATE_RECEIVED);
    /* "Link Quality Indication": correlations of symbols from all over the frame */
    s->lqi = reception_link_quality(reception_quality(n, &s->heard, s->rx_length + 1u, at86rf230_receive_noise(n)));
    s->registers[PHY_RSSI] = good ? RX_CRC_VALID : 0;
    s->registers[PHY_ED_LEVEL] = energy_level(n, s, s->heard.sfd, reception_byte_begins(n, &s->heard, 4));
    if (s->state == BUSY_RX) {
        rf230_interrupt(n, d, IRQ_TRX_END);
        rf230_settle(n, d, RX_ON);
        return;
    }
    if (good && !s->rx_rejected)
        rf230_interrupt(n, d, IRQ_TRX_END);
    if (good && !s->rx_rejected && s->rx_header[0] & FRAME154_ACK_REQUEST)
        rf230_acknowledge(n, d);
    else
        rf230_settle(n, d, RX_AACK_ON);
}

static void at86rf230_receive_receive_byte(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    unsigned i = s->rx_next++;
    uint8_t byte = reception_byte(n, &s->heard, i, at86rf230_receive_noise(n));
    if (i == 0) {
        byte &= 0x7f;
        s->rx_length = byte;
        if (s->state == BUSY_RX)
            rf230_interrupt(n, d, IRQ_RX_START);
    } else {
        s->rx_crc = frame154_crc(s->rx_crc, byte);
        if (i <= FRAME154_HEADER)
            s->rx_header[i - 1] = byte;
    }
    if (s->state != BUSY_TX_ARET) {
        rf230_use(n, d, i, true);
        s->buffer[i] = byte;
    }
    if (s->rx_undecided && i > 0)
        at86rf230_receive_judge(n, d);
    if (i == s->rx_length)
        at86rf230_receive_end_frame(n, d);
}

void rf230_catch_up(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    while (s->receiving && reception_byte_begins(n, &s->heard, s->rx_next + 1u) <= node_now(n))
        at86rf230_receive_receive_byte(n, d);
}

void rf230_receive(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    if (s->receiving)
        rf230_catch_up(n, d);
    else if (rf230_listens(s))
        at86rf230_receive_synchronise(n, d);
    if (s->receiving) {
        unsigned stop = s->rx_next == 0 || s->rx_undecided ? s->rx_next : s->rx_length;
        event_at(n, d, EVENT_RECEIVE, CLOCK_TICK, reception_byte_begins(n, &s->heard, stop + 1));
    } else if (rf230_listens(s)) {
        at86rf230_receive_plan_search(n, d);
    }
}

void rf230_hear(struct node *n, const struct device *d, const struct air_message *m)
{
    struct rf230 *s = device_state(n, d);
    earshot_hear(n, &s->heard.ear, m);
    if (rf230_listens(s) && !s->receiving)
        at86rf230_receive_plan_search(n, d);
}
