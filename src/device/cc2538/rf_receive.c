#include "device/cc2538/rf_internal.h"
#include "node/taps.h"

/* ---- the FIFO ---- */

static void rf_receive_store(struct node *n, const struct device *d, uint8_t byte)
{
    struct rf *s = device_state(n, d);
    block32_set(n, d, RF_RXFIFO + 4 * ((s->rx_head + s->rx_count) % RF_FIFO), byte);
    s->rx_count++;
}

/* Over the threshold (but not by a frame whose address is still to be judged), or a complete frame. */
bool rf_fifop(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    unsigned hidden = s->rx_undecided ? s->rx_next : 0;
    return s->fsm == RF_RX_OVERFLOW || s->rx_signal || s->rx_count > (block32_get(n, d, RF_FIFOPCTRL) & 0x7f) + hidden;
}

uint8_t rf_take(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    if (s->rx_count == 0) {
        rf_flag(n, d, RF_RFERRF, ERROR_RXUNDERF);
        return 0;
    }
    uint8_t byte = (uint8_t)block32_get(n, d, RF_RXFIFO + 4 * s->rx_head);
    s->rx_head = (uint8_t)((s->rx_head + 1) % RF_FIFO);
    s->rx_count--;
    s->rx_signal = 0;
    s->rx_left = s->rx_left ? s->rx_left - 1 : byte & 0x7f;
    if (s->rx_left == 0 && s->rx_frames > 0) {
        s->rx_frames--;
        s->rx_signal = s->rx_frames > 0;
    }
    return byte;
}

void rf_flush(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    s->rx_head = s->rx_count = s->rx_frames = s->rx_left = s->rx_signal = 0;
    if (s->fsm == RF_RX_FRAME || s->fsm == RF_RX_WAIT || s->fsm == RF_RX_OVERFLOW) {
        s->fsm = RF_RX_SEARCH;
        rf_search(n, d);
    }
}

/* ---- searching ---- */

/* RX_MODE other than 0: frames are not searched for. */
static bool rf_receive_searches(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    return s->fsm == RF_RX_SEARCH && !(block32_get(n, d, RF_FRMCTRL0) & 0x0c);
}

static void rf_receive_plan_search(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    if (event_cycle(n, d, RF_EVENT_RECEIVE) <= node_now(n))
        return; /* due now, and plans anew itself */
    uint64_t next = rf_receive_searches(n, d) ? reception_next(n, &s->heard, RF_WORD) : NEVER;
    if (next == NEVER)
        event_cancel(n, d, RF_EVENT_RECEIVE);
    else
        event_at(n, d, RF_EVENT_RECEIVE, CLOCK_TICK, next);
}

void rf_search(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    s->heard.sound = -1;
    s->rx_undecided = 0;
    s->rx_next = 0;
    s->sfd = 0;
    s->ack_wanted = 0;
    s->heard.searching_since = node_now(n);
    rf_receive_plan_search(n, d);
}

void rf_listen(struct node *n, const struct device *d)
{
    rf_enter(n, d, RF_RX_CALIBRATE);
    rf_tune(n, d);
    event_in(n, d, RF_EVENT_FSM, CLOCK_TICK, earshot_symbols(n, RF_CALIBRATION));
}

/* ---- frame filter ---- */

static uint16_t rf_receive_word(const struct node *n, const struct device *d, uint32_t offset)
{
    return (uint16_t)(block32_get(n, d, offset) | block32_get(n, d, offset + 4) << 8);
}

static bool rf_receive_for_us(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    uint32_t mode = block32_get(n, d, RF_FRMFILT0), types = block32_get(n, d, RF_FRMFILT1);
    unsigned type = s->rx_header[0] & 7;
    uint8_t address[8];
    for (unsigned i = 0; i < 8; i++)
        address[i] = (uint8_t)block32_get(n, d, RF_EXT_ADDR + 4 * i);
    struct frame154_filter f = {
        .pan = rf_receive_word(n, d, RF_PAN_ID),
        .short_address = rf_receive_word(n, d, RF_SHORT_ADDR),
        .long_address = address,
        .coordinator = mode & FRMFILT0_COORDINATOR,
        .reserved_types = true,
    };
    bool type_taken = types >> (type < 4 ? 3 + type : 7) & 1;
    return type_taken && (s->rx_header[1] >> 4 & 3u) <= (mode >> 2 & 3) && frame154_accepted(s->rx_header, &f);
}

/* A rejected frame is waited for to the end, so that nothing in it is taken for another's beginning. */
static void rf_receive_reject(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    s->rx_count = (uint8_t)(s->rx_count > s->rx_next ? s->rx_count - s->rx_next : 0);
    s->rx_undecided = 0;
    s->sfd = 0;
    s->fsm = RF_RX_WAIT;
    radio_events_fate(n, s->heard.sender, s->heard.transmission, MOTET_LOSS_ADDRESS);
}

static void rf_receive_judge(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    unsigned known = s->rx_next - 1u; /* bytes after the length */
    if (known >= 3 && known >= frame154_header_length(s->rx_header)) {
        if (!rf_receive_for_us(n, d)) {
            rf_receive_reject(n, d);
            return;
        }
        s->rx_undecided = 0;
        rf_flag(n, d, RF_RFIRQF0, IRQ0_ACCEPTED);
        rf_match_source(n, d);
    } else if (known >= s->rx_length) {
        rf_receive_reject(n, d);
    }
}

/* ---- bytes ---- */

/* The correlation of the eight symbols after the start delimiter, about 110 for the best frames and about 50 for the
 * worst that are received (SWRU319C, 23.9.5). */
static uint8_t rf_receive_correlation(const struct node *n, const struct rf *s)
{
    double quality = reception_quality(n, &s->heard, 4, rf_noise(n));
    return (uint8_t)(50 + reception_link_quality(quality) * 60 / 255);
}

/* With AUTOCRC the last two bytes are the signal's strength, and whether the check sequence was right. */
static uint8_t rf_receive_stored(const struct node *n, const struct device *d, unsigned i, uint8_t heard)
{
    const struct rf *s = device_state(n, d);
    uint32_t mode = block32_get(n, d, RF_FRMCTRL0);
    if (!(mode & FRMCTRL0_AUTOCRC) || s->rx_length < 2 || i == 0)
        return heard;
    if (i + 1 == s->rx_length)
        return (uint8_t)rf_rssi(n, s, s->heard.sfd, reception_byte_begins(n, &s->heard, 4));
    if (i == s->rx_length)
        return (uint8_t)((s->rx_crc == 0 ? 0x80 : 0) |
                         (mode & FRMCTRL0_APPEND ? s->rx_source & 0x7f : rf_receive_correlation(n, s)));
    return heard;
}

static bool rf_receive_acknowledges(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    if (s->rx_crc != 0 || s->rx_length < 5 || s->ack_wanted == 2)
        return false;
    if (s->ack_wanted)
        return true;
    enum frame154_type type = frame154_type(s->rx_header);
    return block32_get(n, d, RF_FRMCTRL0) & FRMCTRL0_AUTOACK && block32_get(n, d, RF_FRMFILT0) & FRMFILT0_ENABLE &&
           s->rx_header[0] & FRAME154_ACK_REQUEST && (type == FRAME154_DATA || type == FRAME154_COMMAND);
}

static void rf_receive_end(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    bool ours = s->fsm == RF_RX_FRAME, acknowledges = ours && rf_receive_acknowledges(n, d);
    s->fsm = RF_RX_SEARCH;
    s->sfd = 0;
    if (ours) {
        s->rx_frames++;
        s->rx_signal = 1;
        radio_events_fate(n, s->heard.sender, s->heard.transmission,
                          s->rx_crc == 0 ? FATE_RECEIVED : (int)MOTET_LOSS_DAMAGED);
    }
    if (acknowledges)
        rf_acknowledge(n, d);
    else
        rf_search(n, d);
    if (ours)
        rf_flag(n, d, RF_RFIRQF0, IRQ0_FIFOP | IRQ0_RXPKTDONE);
}

static void rf_receive_overflow(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    radio_events_fate(n, s->heard.sender, s->heard.transmission, MOTET_LOSS_OVERFLOW);
    s->fsm = RF_RX_OVERFLOW;
    s->heard.sound = -1;
    s->rx_undecided = s->sfd = 0;
    event_cancel(n, d, RF_EVENT_RECEIVE);
    rf_flag(n, d, RF_RFERRF, ERROR_RXOVERF);
}

static void rf_receive_byte(struct node *n, const struct device *d, double noise)
{
    struct rf *s = device_state(n, d);
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
    if (s->fsm == RF_RX_FRAME && s->rx_count == RF_FIFO) {
        rf_receive_overflow(n, d);
        return;
    }
    if (s->fsm == RF_RX_FRAME) {
        bool before = rf_fifop(n, d);
        rf_receive_store(n, d, rf_receive_stored(n, d, i, heard));
        s->rx_next++;
        if (s->rx_undecided && i > 0)
            rf_receive_judge(n, d);
        if (!before && rf_fifop(n, d))
            rf_flag(n, d, RF_RFIRQF0, IRQ0_FIFOP);
    } else {
        s->rx_next++;
    }
    if (i == s->rx_length)
        rf_receive_end(n, d);
}

static bool rf_receiving(const struct rf *s)
{
    return s->fsm == RF_RX_FRAME || s->fsm == RF_RX_WAIT;
}

/* The next byte at which a signal or the state may change; bytes between are received at the next access. */
static unsigned rf_receive_next_stop(const struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    unsigned threshold = block32_get(n, d, RF_FIFOPCTRL) & 0x7f, stop = s->rx_length, next = s->rx_next;
    if (next == 0 || s->rx_undecided)
        return next;
    if (s->fsm != RF_RX_FRAME)
        return stop;
    if (s->rx_count <= threshold && next + threshold - s->rx_count < stop)
        stop = next + threshold - s->rx_count;
    if (next + RF_FIFO - s->rx_count < stop)
        stop = next + RF_FIFO - s->rx_count;
    return stop;
}

static void rf_receive_plan(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    if (rf_receiving(s))
        event_at(n, d, RF_EVENT_RECEIVE, CLOCK_TICK,
                 reception_byte_begins(n, &s->heard, rf_receive_next_stop(n, d) + 1));
    else if (s->fsm == RF_RX_SEARCH)
        rf_receive_plan_search(n, d);
}

void rf_catch_up(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    if (!rf_receiving(s)) {
        if (s->fsm == RF_RX_SEARCH)
            rf_receive_plan_search(n, d);
        return;
    }
    double noise = rf_noise(n);
    while (rf_receiving(s) && reception_byte_begins(n, &s->heard, s->rx_next + 1u) <= node_now(n))
        rf_receive_byte(n, d, noise);
    rf_receive_plan(n, d);
}

static void rf_receive_synchronise(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    if (!rf_receive_searches(n, d) || !reception_begin(n, &s->heard, RF_WORD, rf_noise(n)))
        return;
    s->fsm = RF_RX_FRAME;
    s->rx_next = s->rx_length = 0;
    s->rx_crc = 0;
    s->rx_source = 0x3f;
    s->ack_pending = 0;
    s->rx_undecided = block32_get(n, d, RF_FRMFILT0) & FRMFILT0_ENABLE;
    s->sfd = 1;
    rf_mac_capture(n, d);
    rf_flag(n, d, RF_RFIRQF0, IRQ0_SFD);
}

void rf_receive(struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    if (s->fsm == RF_RX_SEARCH)
        rf_receive_synchronise(n, d);
    else
        rf_catch_up(n, d);
    rf_receive_plan(n, d);
}

/* Only plans: when a message is handed over must make no difference, as long as it is before its tick. */
void rf_hear(struct node *n, const struct device *d, const struct air_message *m)
{
    struct rf *s = device_state(n, d);
    earshot_hear(n, &s->heard.ear, m);
    if (s->fsm == RF_RX_SEARCH)
        rf_receive_plan_search(n, d);
}
