#include "node/fetch.h"
#include "node/taps.h"
#include "part/cc2420_internal.h"

enum { CALIBRATION = 12 };

/* ---- searching ---- */

static void cc2420_receive_plan_search(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (event_cycle(n, d, EVENT_RECEIVE) <= node_now(n))
        return; /* due now, and plans anew itself */
    uint64_t next = reception_next(n, &s->heard, s->registers[SYNCWORD]);
    if (next == NEVER)
        event_cancel(n, d, EVENT_RECEIVE);
    else
        event_at(n, d, EVENT_RECEIVE, CLOCK_TICK, next);
}

void cc2420_search(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    s->heard.sound = -1;
    s->rx_undecided = 0;
    s->rx_next = 0;
    s->sfd = 0;
    s->ack_wanted = 0;
    s->heard.searching_since = node_now(n);
    cc2420_receive_plan_search(n, d);
}

void cc2420_listen(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    cc2420_enter(n, d, RX_CALIBRATE);
    cc2420_tune(s);
    event_in(n, d, EVENT_FSM, CLOCK_TICK, earshot_symbols(n, CALIBRATION));
}

/* ---- bytes ---- */

/* SWRS041, "Link Quality Indication": the correlation of the eight symbols after the start delimiter, about 110 for
 * the best frames and about 50 for the worst that are received. */
static uint8_t correlation(const struct node *n, const struct cc2420 *s)
{
    double quality = reception_quality(n, &s->heard, 4, cc2420_noise(n));
    return (uint8_t)(50 + reception_link_quality(quality) * 60 / 255);
}

/* The last two bytes are replaced by the signal's strength and whether the check sequence was right ("Frame Check
 * Sequence"). */
static uint8_t stored_byte(const struct node *n, const struct cc2420 *s, unsigned i, uint8_t heard)
{
    if (!(s->registers[MDMCTRL0] & MDMCTRL0_AUTOCRC) || s->rx_length < 2 || i == 0)
        return heard;
    if (i + 1 == s->rx_length)
        return (uint8_t)cc2420_rssi(n, s, s->heard.sfd, reception_byte_begins(n, &s->heard, 4));
    if (i == s->rx_length)
        return (uint8_t)((s->rx_crc == 0 ? 0x80 : 0) | correlation(n, s));
    return heard;
}

/* ---- address recognition ---- */

static bool cc2420_receive_for_us(const struct cc2420 *s)
{
    unsigned mode = s->registers[MDMCTRL0];
    struct frame154_filter f = {
        .pan = (uint16_t)(s->ram[RAM_PANID] | s->ram[RAM_PANID + 1] << 8),
        .short_address = (uint16_t)(s->ram[RAM_SHORTADR] | s->ram[RAM_SHORTADR + 1] << 8),
        .long_address = s->ram + RAM_IEEEADR,
        .coordinator = mode & MDMCTRL0_COORDINATOR,
        .reserved_types = mode & MDMCTRL0_RESERVED_FRAMES,
        .any_beacon = s->registers[IOCFG0] & IOCFG0_BCN_ACCEPT,
    };
    return frame154_accepted(s->rx_header, &f);
}

/* A rejected frame is waited for to the end, so that nothing in it is taken for another's beginning. */
static void reject(struct cc2420 *s)
{
    cc2420_rx_drop(s, s->rx_next);
    s->rx_undecided = 0;
    s->sfd = 0;
    s->fsm = RX_WAIT;
}

static void cc2420_receive_judge(struct cc2420 *s)
{
    unsigned known = s->rx_next - 1u; /* bytes after the length */
    if (known >= 3 && known >= frame154_header_length(s->rx_header)) {
        if (cc2420_receive_for_us(s))
            s->rx_undecided = 0;
        else
            reject(s);
    } else if (known >= s->rx_length) {
        reject(s);
    }
}

/* ---- frames ---- */

static bool acknowledge_wanted(const struct cc2420 *s)
{
    const unsigned automatic = MDMCTRL0_AUTOACK | MDMCTRL0_ADR_DECODE;
    if (s->rx_crc != 0 || s->rx_length < 5)
        return false;
    if (s->ack_wanted)
        return true;
    enum frame154_type type = frame154_type(s->rx_header);
    return (s->registers[MDMCTRL0] & automatic) == automatic && s->rx_header[0] & FRAME154_ACK_REQUEST &&
           (type == FRAME154_DATA || type == FRAME154_COMMAND);
}

static void cc2420_receive_end_frame(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    bool ours = s->fsm == RX_FRAME;
    if (ours) {
        s->rx_frames++;
        s->rx_signal = 1;
        radio_events_fate(n, s->heard.sender, s->heard.transmission,
                          s->rx_crc == 0 ? FATE_RECEIVED : (int)MOTET_LOSS_DAMAGED);
    }
    s->fsm = RX_SFD_SEARCH;
    if (ours && acknowledge_wanted(s))
        cc2420_acknowledge(n, d);
    else
        cc2420_search(n, d);
}

static void overflow(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    radio_events_fate(n, s->heard.sender, s->heard.transmission, MOTET_LOSS_OVERFLOW);
    s->fsm = RX_OVERFLOW;
    s->heard.sound = -1;
    s->rx_undecided = 0;
    event_cancel(n, d, EVENT_RECEIVE);
}

static void cc2420_receive_receive_byte(struct node *n, const struct device *d, double noise)
{
    struct cc2420 *s = device_state(n, d);
    unsigned i = s->rx_next;
    uint8_t heard = reception_byte(n, &s->heard, i, noise);
    if (i == 0) {
        heard &= 0x7f;
        s->rx_length = heard;
    } else {
        s->rx_crc = frame154_crc(s->rx_crc, heard);
        if (i <= FRAME154_HEADER)
            s->rx_header[i - 1] = heard;
    }
    if (s->fsm == RX_FRAME && !cc2420_rx_put(s, stored_byte(n, s, i, heard))) {
        overflow(n, d);
        return;
    }
    s->rx_next++;
    if (s->rx_undecided && i > 0) {
        cc2420_receive_judge(s);
        if (s->fsm == RX_WAIT)
            radio_events_fate(n, s->heard.sender, s->heard.transmission, MOTET_LOSS_ADDRESS);
    }
    if (i == s->rx_length)
        cc2420_receive_end_frame(n, d);
}

/* The next byte at which a pin or the state may change; bytes between are received at the next access. */
static unsigned cc2420_receive_next_stop(const struct cc2420 *s)
{
    unsigned threshold = s->registers[IOCFG0] & 0x7f, stop = s->rx_length, next = s->rx_next;
    if (next == 0 || s->rx_undecided || (s->fsm == RX_FRAME && s->rx_count == 0))
        return next;
    if (s->fsm != RX_FRAME)
        return stop;
    if (s->rx_count <= threshold && next + threshold - s->rx_count < stop)
        stop = next + threshold - s->rx_count;
    if (next + FIFO_SIZE - s->rx_count < stop)
        stop = next + FIFO_SIZE - s->rx_count;
    return stop;
}

void cc2420_plan_receive(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (cc2420_receives(s))
        event_at(n, d, EVENT_RECEIVE, CLOCK_TICK, reception_byte_begins(n, &s->heard, cc2420_receive_next_stop(s) + 1));
    else if (s->fsm == RX_SFD_SEARCH)
        cc2420_receive_plan_search(n, d);
}

void cc2420_catch_up_bytes(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (reception_byte_begins(n, &s->heard, s->rx_next + 1u) > node_now(n))
        return;
    double noise = cc2420_noise(n);
    while (cc2420_receives(s) && reception_byte_begins(n, &s->heard, s->rx_next + 1u) <= node_now(n))
        cc2420_receive_receive_byte(n, d, noise);
    cc2420_update_pins(n, d);
}

static void cc2420_receive_synchronise(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (!reception_begin(n, &s->heard, s->registers[SYNCWORD], cc2420_noise(n)))
        return;
    s->fsm = RX_FRAME;
    s->rx_next = s->rx_length = 0;
    s->rx_crc = 0;
    s->rx_undecided = (s->registers[MDMCTRL0] & MDMCTRL0_ADR_DECODE) != 0;
    s->sfd = 1;
}

void cc2420_receive(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->fsm == RX_SFD_SEARCH)
        cc2420_receive_synchronise(n, d);
    else
        cc2420_catch_up(n, d);
    cc2420_plan_receive(n, d);
    cc2420_update_pins(n, d);
}

/* Only plans: when a message is handed over must make no difference, as long as it is before its tick. */
void cc2420_hear(struct node *n, const struct device *d, const struct air_message *m)
{
    struct cc2420 *s = device_state(n, d);
    bool news = reception_hear(n, &s->heard, s->registers[SYNCWORD], m);
    if (news && s->fsm == RX_SFD_SEARCH)
        cc2420_receive_plan_search(n, d);
    if (m->kind != AIR_BYTES && cc2420_listens(s))
        cc2420_plan_assessment(n, d);
}

void cc2420_fetch(const struct node *n, const struct device *d)
{
    const struct cc2420 *s = device_state(n, d);
    earshot_fetch(&s->heard.ear);
    fetch(&s->heard.hertz, offsetof(struct cc2420, ram) - offsetof(struct cc2420, heard.hertz));
    fetch(&s->supply, sizeof *s - offsetof(struct cc2420, supply));
}
