#include "device/nrf52/radio.h"

#include "base/decibel.h"
#include "node/taps.h"
#include "part/frame154.h"
#include "part/reception.h"
#include "part/transmission.h"

enum { TXEN, RXEN, START, STOP, DISABLE, RSSISTART, RSSISTOP, BCSTART, BCSTOP, EDSTART, EDSTOP, CCASTART, CCASTOP };
enum {
    READY,
    ADDRESS,
    PAYLOAD,
    END,
    DISABLED,
    RSSIEND = 7,
    BCMATCH = 10,
    CRCOK = 12,
    CRCERROR,
    FRAMESTART,
    EDEND,
    EDSTOPPED,
    CCAIDLE,
    CCABUSY,
    CCASTOPPED,
    TXREADY = 21,
    RXREADY,
    MHRMATCH,
    PHYEND = 27,
};
enum {
    CRCSTATUS = 0x400,
    RXCRC = 0x40c,
    PACKETPTR = 0x504,
    FREQUENCY = 0x508,
    TXPOWER = 0x50c,
    MODE = 0x510,
    RSSISAMPLE = 0x548,
    STATE = 0x550,
    BCC = 0x560,
    MHRMATCHCONF = 0x644,
    MHRMATCHMAS = 0x648,
    MODECNF0 = 0x650,
    EDCNT = 0x664,
    EDSAMPLE = 0x668,
    CCACTRL = 0x66c,
    POWER = 0xffc,
};
enum { ROLE_FREQUENCY = NRF52_OWN, ROLE_POWER };
enum { EVENT_STATE, EVENT_SAY, EVENT_MARK, EVENT_RECEIVE, EVENT_MEASURE, EVENTS };
enum {
    OFF = 0,
    RX_RAMP = 1,
    RX_IDLE = 2,
    RX = 3,
    RX_DISABLE = 4,
    TX_RAMP = 9,
    TX_IDLE = 10,
    TX = 11,
    TX_DISABLE = 12,
};
enum {
    IEEE_802154 = 15,
    FAST = 1,
    RAMP_US = 130,
    FAST_RAMP_US = 40,
    TURNAROUND_US = 30,
    TX_OFF_US = 21,
    RX_OFF_US = 1,
    RX_END_US = 23, /* from the last bit on the air to PHYEND, as Nordic's driver for 802.15.4 counts (EVENT_LAT in its
                     * nrf_802154_trx.c, RX_PHYEND_EVENT_LATENCY_US_OQPSK in nrf_802154_procedures_duration.h) */
    SYMBOLS = 8
};
enum { WORD = 0xa70f /* preamble and start delimiter are fixed */, HEADER = 5, BASE_DBM = -92, FIRST_BYTES = 4 };

/* Bits of SHORTS. */
enum {
    SHORT_READY_START = 0,
    SHORT_END_DISABLE = 1,
    SHORT_DISABLED_TXEN = 2,
    SHORT_DISABLED_RXEN = 3,
    SHORT_ADDRESS_RSSISTART = 4,
    SHORT_END_START = 5,
    SHORT_ADDRESS_BCSTART = 6,
    SHORT_RXREADY_CCASTART = 11,
    SHORT_CCAIDLE_TXEN = 12,
    SHORT_CCABUSY_DISABLE = 13,
    SHORT_FRAMESTART_BCSTART = 14,
    SHORT_READY_EDSTART = 15,
    SHORT_EDEND_DISABLE = 16,
    SHORT_CCAIDLE_STOP = 17,
    SHORT_TXREADY_START = 18,
    SHORT_RXREADY_START = 19,
    SHORT_PHYEND_DISABLE = 20,
    SHORT_PHYEND_START = 21,
};

/* What an event of the node during a transmission stands for. */
enum mark { MARK_ADDRESS, MARK_FRAMESTART, MARK_PAYLOAD, MARK_END };

struct radio {
    struct reception heard;
    struct transmission sent;
    uint64_t measured_from;
    uint32_t packet; /* PACKETPTR at START */
    uint16_t tx_crc, rx_crc;
    uint8_t state;
    uint8_t receiving, rx_next, rx_length;
    uint8_t mark; /* what comes next of a transmission */
    uint8_t length;
    uint8_t counting, matched; /* bits of a frame */
    uint32_t rx_first;         /* bytes of it, the length first and lowest */
    uint8_t measuring;         /* 0, or the task: EDSTART, CCASTART */
    uint8_t measure_next;      /* the same, of a task that came while the receiver ramps up */
};

static void nrf52_radio_happens(struct node *n, const struct device *d, unsigned event);

/* ---- states ---- */

static const char *nrf52_radio_doing(const struct node *n, const struct device *d)
{
    const struct radio *s = device_state(n, d);
    return s->state == OFF ? "off" : s->state == TX ? "sending" : s->state == RX ? "listening" : "idle";
}

static void nrf52_radio_enter(struct node *n, const struct device *d, uint8_t state)
{
    struct radio *s = device_state(n, d);
    s->state = state;
    nrf52_set(n, d, STATE, state);
    taps_part(n, d);
}

static void nrf52_radio_in(struct node *n, const struct device *d, uint8_t state, unsigned us)
{
    nrf52_radio_enter(n, d, state);
    event_in(n, d, EVENT_STATE, CLOCK_TICK, node_ticks(n, us * 1e-6));
}

/* Between receiving and sending the synthesizer goes on. For that the Product Specification has 40 us as the maximum;
 * the driver of Contiki-NG, which looks after 32 to 48 us, works on chips only if it takes less. Nordic's driver counts
 * with 20 us from the end of a channel assessment to the first bit (RX_TX_TURNAROUND_TIME_HW). */
static unsigned nrf52_radio_ramp(const struct node *n, const struct device *d)
{
    const struct radio *s = device_state(n, d);
    if (!(nrf52_get(n, d, MODECNF0) & FAST))
        return RAMP_US;
    return s->state == OFF ? FAST_RAMP_US : TURNAROUND_US;
}

/* What goes on ends at once. */
static void nrf52_radio_stop(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    transmission_break_off(n, &s->sent);
    s->receiving = s->counting = 0;
    event_cancel(n, d, EVENT_SAY);
    event_cancel(n, d, EVENT_MARK);
    event_cancel(n, d, EVENT_RECEIVE);
    if (s->state == TX)
        nrf52_radio_enter(n, d, TX_IDLE);
    else if (s->state == RX)
        nrf52_radio_enter(n, d, RX_IDLE);
}

static void nrf52_radio_disable(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    bool sends = s->state >= TX_RAMP;
    if (s->state == RX_DISABLE || s->state == TX_DISABLE)
        return;
    nrf52_radio_stop(n, d);
    event_cancel(n, d, EVENT_MEASURE);
    s->measuring = s->measure_next = 0;
    if (s->state == OFF)
        nrf52_radio_happens(n, d, DISABLED);
    else
        nrf52_radio_in(n, d, sends ? TX_DISABLE : RX_DISABLE, sends ? TX_OFF_US : RX_OFF_US);
}

static void nrf52_radio_measure(struct node *n, const struct device *d, unsigned task);

static void nrf52_radio_measure_now(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    unsigned task = s->measure_next;
    s->measure_next = 0;
    if (task)
        nrf52_radio_measure(n, d, task);
}

static void nrf52_radio_arrived(struct node *n, const struct device *d)
{
    const struct radio *s = device_state(n, d);
    switch (s->state) {
    case RX_RAMP:
        nrf52_radio_enter(n, d, RX_IDLE);
        nrf52_radio_happens(n, d, READY);
        nrf52_radio_happens(n, d, RXREADY);
        nrf52_radio_measure_now(n, d);
        break;
    case TX_RAMP:
        nrf52_radio_enter(n, d, TX_IDLE);
        nrf52_radio_happens(n, d, READY);
        nrf52_radio_happens(n, d, TXREADY);
        break;
    case RX_DISABLE:
    case TX_DISABLE:
        nrf52_radio_enter(n, d, OFF);
        nrf52_radio_happens(n, d, DISABLED);
        break;
    default: break;
    }
}

/* ---- sending ---- */

static void nrf52_radio_send(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    nrf52_radio_enter(n, d, TX);
    s->packet = nrf52_get(n, d, PACKETPTR);
    s->tx_crc = 0;
    s->mark = MARK_ADDRESS;
    s->length = nrf52_dma_fetch(n, s->packet) & 0x7f;
    double dbm = (int8_t)nrf52_get(n, d, TXPOWER);
    transmission_begin(n, &s->sent, node_now(n), s->heard.hertz, dbm);
    transmission_header(n, &s->sent, HEADER - 2, WORD);
    uint64_t due = transmission_due(n, &s->sent);
    event_at(n, d, EVENT_SAY, CLOCK_TICK, due > node_now(n) ? due : node_now(n));
    event_at(n, d, EVENT_MARK, CLOCK_TICK, transmission_byte_begins(n, &s->sent, HEADER));
}

static uint8_t nrf52_radio_next_byte(struct node *n, struct radio *s, unsigned i)
{
    if (i == 0)
        return s->length;
    if (i + 1 == s->length)
        return (uint8_t)s->tx_crc;
    if (i == s->length)
        return (uint8_t)(s->tx_crc >> 8);
    uint8_t byte = nrf52_dma_fetch(n, s->packet + i);
    s->tx_crc = frame154_crc(s->tx_crc, byte);
    return byte;
}

static void nrf52_radio_say(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    uint8_t bytes[TRANSMISSION_PIECE] = {0};
    unsigned count = 0, i = s->sent.sent_bytes - s->sent.header;
    for (; count < TRANSMISSION_PIECE && i <= s->length; count++, i++)
        bytes[count] = nrf52_radio_next_byte(n, s, i);
    transmission_say(n, &s->sent, bytes, count);
    if (i > s->length)
        transmission_end(n, &s->sent, transmission_byte_begins(n, &s->sent, s->sent.sent_bytes));
    else
        event_at(n, d, EVENT_SAY, CLOCK_TICK, transmission_due(n, &s->sent));
}

/* The moments of a transmission that are events: after the delimiter, the length, the payload, the check sequence. */
static void nrf52_radio_mark(struct node *n, const struct device *d)
{
    static const uint8_t events[] = {ADDRESS, FRAMESTART, PAYLOAD};
    struct radio *s = device_state(n, d);
    unsigned mark = s->mark++, bytes = s->length < 2 ? 0 : s->length - 2u;
    if (mark == MARK_END) {
        s->sent.begin = NEVER;
        nrf52_radio_enter(n, d, TX_IDLE);
        nrf52_radio_happens(n, d, END);
        nrf52_radio_happens(n, d, PHYEND);
        return;
    }
    unsigned next = HEADER + 1 + (mark == MARK_ADDRESS ? 0 : mark == MARK_FRAMESTART ? bytes : s->length);
    event_at(n, d, EVENT_MARK, CLOCK_TICK, transmission_byte_begins(n, &s->sent, next));
    nrf52_radio_happens(n, d, events[mark]);
}

/* ---- energy ---- */

static double nrf52_radio_noise(const struct node *n)
{
    return decibel_ratio((double)air_noise(n));
}

static double nrf52_radio_dbm(const struct node *n, const struct radio *s, uint64_t from, uint64_t to)
{
    return decibel_of(nrf52_radio_noise(n) + earshot_energy(&s->heard.ear, s->heard.hertz, from, to));
}

static unsigned nrf52_radio_level(const struct node *n, const struct radio *s, uint64_t from, uint64_t to)
{
    double level = nrf52_radio_dbm(n, s, from, to) - BASE_DBM;
    return (unsigned)(level < 0 ? 0 : level > 127 ? 127 : level);
}

static bool nrf52_radio_carrier(const struct node *n, const struct radio *s, uint64_t from, uint64_t to)
{
    for (int i = 0; i < EARSHOT_SOUNDS; i++) {
        const struct sound *sound = &s->heard.ear.sounds[i];
        if (earshot_in_tune(sound, s->heard.hertz) && sound->noticed < to && sound->end > from &&
            sound->milliwatts > nrf52_radio_noise(n))
            return true;
    }
    return false;
}

static bool nrf52_radio_busy(const struct node *n, const struct device *d, uint64_t from, uint64_t to)
{
    const struct radio *s = device_state(n, d);
    uint32_t control = nrf52_get(n, d, CCACTRL);
    bool loud = nrf52_radio_level(n, s, from, to) >= (control >> 8 & 0xff);
    bool carrier = s->receiving || nrf52_radio_carrier(n, s, from, to);
    switch (control & 7) {
    case 1: return carrier;
    case 2: return carrier && loud;
    case 3: return carrier || loud;
    default: return loud;
    }
}

/* The Product Specification does not say what CCASTART does while the receiver ramps up. Drivers rely on an answer
 * (Contiki-NG), so the measurement begins when the receiver is ready. */
static void nrf52_radio_measure(struct node *n, const struct device *d, unsigned task)
{
    struct radio *s = device_state(n, d);
    uint64_t rounds = task == EDSTART ? (nrf52_get(n, d, EDCNT) & 0x1fffff) + 1u : 1u;
    if (s->state == RX_RAMP)
        s->measure_next = (uint8_t)task;
    if (s->state != RX_IDLE && s->state != RX)
        return;
    s->measuring = (uint8_t)task;
    s->measured_from = node_now(n);
    event_in(n, d, EVENT_MEASURE, CLOCK_TICK, earshot_symbols(n, SYMBOLS * rounds));
}

static void nrf52_radio_measured(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    unsigned task = s->measuring;
    uint64_t now = node_now(n);
    s->measuring = 0;
    if (task == EDSTART) {
        nrf52_set(n, d, EDSAMPLE, nrf52_radio_level(n, s, s->measured_from, now));
        nrf52_radio_happens(n, d, EDEND);
    } else {
        nrf52_radio_happens(n, d, nrf52_radio_busy(n, d, s->measured_from, now) ? CCABUSY : CCAIDLE);
    }
}

static void nrf52_radio_sample(struct node *n, const struct device *d)
{
    const struct radio *s = device_state(n, d);
    uint64_t now = node_now(n), symbol = earshot_symbols(n, 1);
    double dbm = now < symbol ? -127 : nrf52_radio_dbm(n, s, now - symbol, now);
    nrf52_set(n, d, RSSISAMPLE, (uint32_t)(dbm > 0 ? 0 : dbm < -127 ? 127 : -dbm));
    nrf52_radio_happens(n, d, RSSIEND);
}

/* ---- receiving ---- */

static void nrf52_radio_plan(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    if (event_cycle(n, d, EVENT_RECEIVE) <= node_now(n))
        return; /* due now, and plans anew itself */
    uint64_t next = reception_next(n, &s->heard, WORD);
    if (next == NEVER)
        event_cancel(n, d, EVENT_RECEIVE);
    else
        event_at(n, d, EVENT_RECEIVE, CLOCK_TICK, next);
}

static void nrf52_radio_search(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    nrf52_radio_enter(n, d, RX);
    s->receiving = 0;
    s->packet = nrf52_get(n, d, PACKETPTR);
    s->heard.searching_since = node_now(n);
    nrf52_radio_plan(n, d);
}

/* All bytes are there. */
static bool nrf52_radio_is_whole(const struct radio *s)
{
    return s->rx_next > s->rx_length && s->rx_next > 0;
}

static uint64_t nrf52_radio_end(const struct node *n, const struct radio *s)
{
    return reception_byte_begins(n, &s->heard, s->rx_length + 1u) + node_ticks(n, RX_END_US * 1e-6);
}

/* Link quality is a quarter of what IEEE 802.15.4 wants: the firmware multiplies. */
static void nrf52_radio_rate(struct node *n, const struct radio *s)
{
    double quality = reception_quality(n, &s->heard, s->rx_length + 1u, nrf52_radio_noise(n));
    nrf52_dma_store(n, s->packet + (s->rx_length < 2 ? 1 : s->rx_length - 1u), reception_link_quality(quality) / 4);
}

static void nrf52_radio_ended(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    bool good = s->rx_crc == 0 && s->rx_length >= 3;
    s->receiving = s->counting = 0;
    radio_events_fate(n, s->heard.sender, s->heard.transmission, good ? FATE_RECEIVED : (int)MOTET_LOSS_DAMAGED);
    nrf52_set(n, d, CRCSTATUS, good);
    nrf52_radio_enter(n, d, RX_IDLE);
    nrf52_radio_happens(n, d, PAYLOAD);
    nrf52_radio_happens(n, d, good ? CRCOK : CRCERROR);
    nrf52_radio_happens(n, d, END);
    nrf52_radio_happens(n, d, PHYEND);
}

static void nrf52_radio_count(struct node *n, const struct device *d, unsigned bytes)
{
    struct radio *s = device_state(n, d);
    uint32_t bits = nrf52_get(n, d, BCC);
    if (!s->counting || !bits || 8 * bytes < bits || (s->matched && 8u * s->matched >= bits))
        return;
    s->matched = (uint8_t)bytes;
    nrf52_radio_happens(n, d, BCMATCH);
}

/* The length and the first three bytes, of which the mask chooses bits, against a pattern. */
static void nrf52_radio_match(struct node *n, const struct device *d)
{
    const struct radio *s = device_state(n, d);
    uint32_t mask = nrf52_get(n, d, MHRMATCHMAS);
    if (mask && !((s->rx_first ^ nrf52_get(n, d, MHRMATCHCONF)) & mask))
        nrf52_radio_happens(n, d, MHRMATCH);
}

static void nrf52_radio_byte(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    unsigned i = s->rx_next++;
    uint8_t byte = reception_byte(n, &s->heard, i, nrf52_radio_noise(n));
    s->rx_first = i == 0 ? byte & 0x7fu : i < FIRST_BYTES ? s->rx_first | (uint32_t)byte << 8 * i : s->rx_first;
    if (i == 0) {
        s->rx_length = byte & 0x7f;
        nrf52_dma_store(n, s->packet, s->rx_length);
        nrf52_radio_happens(n, d, FRAMESTART);
    } else {
        s->rx_crc = frame154_crc(s->rx_crc, byte);
        if (i + 2 <= s->rx_length)
            nrf52_dma_store(n, s->packet + i, byte);
        nrf52_radio_count(n, d, i);
        if (i + 1 == FIRST_BYTES)
            nrf52_radio_match(n, d);
    }
    if (s->receiving && i == s->rx_length)
        nrf52_radio_rate(n, s);
}

/* The next byte whose end must be noticed at its time: the length, the one that the bit counter waits for, the last
 * that is compared with the pattern, the last. */
static unsigned nrf52_radio_stop_at(const struct node *n, const struct device *d)
{
    const struct radio *s = device_state(n, d);
    unsigned counted = (nrf52_get(n, d, BCC) + 7) / 8;
    unsigned stop = s->rx_length;
    if (s->rx_next == 0)
        return 0;
    if (s->counting && counted >= s->rx_next && counted < stop)
        stop = counted;
    if (s->rx_next < FIRST_BYTES && FIRST_BYTES - 1 < stop && nrf52_get(n, d, MHRMATCHMAS))
        stop = FIRST_BYTES - 1;
    return stop;
}

static void nrf52_radio_catch_up(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    while (s->receiving && !nrf52_radio_is_whole(s) &&
           reception_byte_begins(n, &s->heard, s->rx_next + 1u) <= node_now(n))
        nrf52_radio_byte(n, d);
    if (s->receiving && nrf52_radio_is_whole(s) && nrf52_radio_end(n, s) <= node_now(n))
        nrf52_radio_ended(n, d);
}

static void nrf52_radio_receive(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    if (s->receiving) {
        nrf52_radio_catch_up(n, d);
    } else if (s->state == RX && reception_begin(n, &s->heard, WORD, nrf52_radio_noise(n))) {
        s->receiving = 1;
        s->rx_next = s->rx_length = s->matched = 0;
        s->rx_crc = 0;
        nrf52_radio_happens(n, d, ADDRESS);
    }
    if (s->receiving)
        event_at(n, d, EVENT_RECEIVE, CLOCK_TICK,
                 nrf52_radio_is_whole(s) ? nrf52_radio_end(n, s)
                                         : reception_byte_begins(n, &s->heard, nrf52_radio_stop_at(n, d) + 1));
    else if (s->state == RX)
        nrf52_radio_plan(n, d);
}

static void nrf52_radio_hear(struct node *n, const struct device *d, const struct air_message *m)
{
    struct radio *s = device_state(n, d);
    earshot_hear(n, &s->heard.ear, m);
    if (s->state == RX && !s->receiving)
        nrf52_radio_plan(n, d);
}

/* ---- tasks, events and what joins them ---- */

static void nrf52_radio_task(struct node *n, const struct device *d, unsigned task)
{
    struct radio *s = device_state(n, d);
    if (nrf52_get(n, d, MODE) != IEEE_802154 && (task == TXEN || task == RXEN))
        node_unspecified(n, d, 0);
    switch (task) {
    case TXEN:
        if (s->state == OFF || s->state == RX_IDLE || s->state == RX || s->state == TX_IDLE) {
            nrf52_radio_stop(n, d);
            nrf52_radio_in(n, d, TX_RAMP, nrf52_radio_ramp(n, d));
        }
        break;
    case RXEN:
        if (s->state == OFF || s->state == TX_IDLE || s->state == RX_IDLE) {
            nrf52_radio_stop(n, d);
            nrf52_radio_in(n, d, RX_RAMP, nrf52_radio_ramp(n, d));
        }
        break;
    case START:
        if (s->state == TX_IDLE)
            nrf52_radio_send(n, d);
        else if (s->state == RX_IDLE || s->state == RX)
            nrf52_radio_search(n, d);
        break;
    case STOP: nrf52_radio_stop(n, d); break;
    case DISABLE: nrf52_radio_disable(n, d); break;
    case RSSISTART: nrf52_radio_sample(n, d); break;
    case BCSTART:
        s->counting = 1;
        s->matched = 0;
        break;
    case BCSTOP: s->counting = 0; break;
    case EDSTART:
    case CCASTART: nrf52_radio_measure(n, d, task); break;
    case EDSTOP:
    case CCASTOP:
        event_cancel(n, d, EVENT_MEASURE);
        s->measuring = s->measure_next = 0;
        nrf52_radio_happens(n, d, task == EDSTOP ? EDSTOPPED : CCASTOPPED);
        break;
    default: break;
    }
}

static const struct {
    uint8_t bit, event, task;
} nrf52_radio_shorts[] = {
    {SHORT_READY_START, READY, START},
    {SHORT_END_DISABLE, END, DISABLE},
    {SHORT_DISABLED_TXEN, DISABLED, TXEN},
    {SHORT_DISABLED_RXEN, DISABLED, RXEN},
    {SHORT_ADDRESS_RSSISTART, ADDRESS, RSSISTART},
    {SHORT_END_START, END, START},
    {SHORT_ADDRESS_BCSTART, ADDRESS, BCSTART},
    {SHORT_RXREADY_CCASTART, RXREADY, CCASTART},
    {SHORT_CCAIDLE_TXEN, CCAIDLE, TXEN},
    {SHORT_CCABUSY_DISABLE, CCABUSY, DISABLE},
    {SHORT_FRAMESTART_BCSTART, FRAMESTART, BCSTART},
    {SHORT_READY_EDSTART, READY, EDSTART},
    {SHORT_EDEND_DISABLE, EDEND, DISABLE},
    {SHORT_CCAIDLE_STOP, CCAIDLE, STOP},
    {SHORT_TXREADY_START, TXREADY, START},
    {SHORT_RXREADY_START, RXREADY, START},
    {SHORT_PHYEND_DISABLE, PHYEND, DISABLE},
    {SHORT_PHYEND_START, PHYEND, START},
};

static void nrf52_radio_happens(struct node *n, const struct device *d, unsigned event)
{
    uint32_t shorts = nrf52_get(n, d, NRF52_SHORTS);
    nrf52_happens(n, d, event);
    for (size_t i = 0; i < sizeof nrf52_radio_shorts / sizeof *nrf52_radio_shorts; i++)
        if (nrf52_radio_shorts[i].event == event && shorts >> nrf52_radio_shorts[i].bit & 1)
            nrf52_radio_task(n, d, nrf52_radio_shorts[i].task);
}

/* ---- the device ---- */

static void nrf52_radio_connect(const struct device *d, struct wiring *w)
{
    static const uint16_t plain[] = {PACKETPTR,    TXPOWER,     MODE,     0x514, 0x518, 0x51c,   0x520, 0x524, 0x528,
                                     0x52c,        0x530,       0x534,    0x538, 0x53c, 0x544,   0x554, BCC,   0x640,
                                     MHRMATCHCONF, MHRMATCHMAS, MODECNF0, 0x660, EDCNT, CCACTRL, 0x774};
    static const uint16_t constant[] = {CRCSTATUS,  0x408, RXCRC,    0x410, 0x414,
                                        RSSISAMPLE, STATE, EDSAMPLE, 0x458, 0x45c};
    nrf52_block_wire(w, d, 0x1fff, 0x1cfff4ff, 0x3ff97f);
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        nrf52_plain(w, d, plain[i], 0xffffffff);
    for (uint32_t offset = 0x600; offset < 0x640; offset += 4)
        nrf52_plain(w, d, offset, 0xffffffff);
    for (size_t i = 0; i < sizeof constant / sizeof *constant; i++)
        nrf52_plain(w, d, constant[i], 0);
    nrf52_told(w, d, FREQUENCY, ROLE_FREQUENCY, WIRE_STORE);
    nrf52_told(w, d, POWER, ROLE_POWER, WIRE_STORE);
    wire_air(w, d);
}

static void nrf52_radio_tune(struct node *n, const struct device *d)
{
    struct radio *s = device_state(n, d);
    uint32_t frequency = nrf52_get(n, d, FREQUENCY);
    s->heard.hertz = ((frequency & 0x100 ? 2360.0 : 2400.0) + (frequency & 0x7f)) * 1e6;
}

static void nrf52_radio_reset(struct node *n, const struct device *d, enum reset_cause cause)
{
    struct radio *s = device_state(n, d);
    (void)cause;
    transmission_break_off(n, &s->sent);
    struct reception heard = s->heard;
    uint32_t number = s->sent.number;
    *s = (struct radio){.heard = heard, .sent = {.begin = NEVER, .number = number}};
    nrf52_set(n, d, FREQUENCY, 2);
    nrf52_set(n, d, CCACTRL, 0x052d0000);
    nrf52_set(n, d, 0x660, 0xa7);
    nrf52_set(n, d, MODECNF0, 0x200);
    nrf52_set(n, d, POWER, 1);
    nrf52_set(n, d, STATE, OFF);
    nrf52_radio_tune(n, d);
}

static void nrf52_radio_event(struct node *n, const struct device *d, unsigned event)
{
    switch (event) {
    case EVENT_STATE: nrf52_radio_arrived(n, d); break;
    case EVENT_SAY: nrf52_radio_say(n, d); break;
    case EVENT_MARK: nrf52_radio_mark(n, d); break;
    case EVENT_RECEIVE: nrf52_radio_receive(n, d); break;
    default: nrf52_radio_measured(n, d); break;
    }
}

static void nrf52_radio_write(struct node *n, const struct device *d, unsigned role, unsigned value, unsigned old)
{
    (void)old;
    if (nrf52_block_write(n, d, role, value))
        return;
    if (role == ROLE_FREQUENCY) {
        nrf52_radio_tune(n, d);
    } else if (role == ROLE_POWER) {
        if (!(value & 1)) {
            for (unsigned e = 0; e < EVENTS; e++)
                event_cancel(n, d, e);
            nrf52_radio_reset(n, d, RESET_SOFTWARE);
            nrf52_set(n, d, POWER, 0);
        }
    } else if (value & 1) {
        nrf52_radio_task(n, d, role);
    }
}

static const char *const nrf52_radio_unspecified[] = {
    "the radio is switched on in a mode that Motet does not have; only MODE 15, IEEE 802.15.4 at 250 kbit/s, is there",
};

const struct device_type nrf52_radio = {
    .name = "radio",
    .state_size = sizeof(struct radio),
    .events = EVENTS,
    .connect = nrf52_radio_connect,
    .reset = nrf52_radio_reset,
    .event = nrf52_radio_event,
    .write = nrf52_radio_write,
    .hear = nrf52_radio_hear,
    .doing = nrf52_radio_doing,
    .unspecified = nrf52_radio_unspecified,
};
