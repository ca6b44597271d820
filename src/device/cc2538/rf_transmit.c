#include "device/cc2538/rf_internal.h"
#include "node/taps.h"

enum { ACK_LENGTH = 5 };

/* Recommended settings of TXPOWER (SWRS096, "RF transmit section"); others count as the next lower one. */
static double rf_transmit_power(uint32_t setting)
{
    static const struct {
        uint8_t setting;
        int8_t dbm;
    } table[] = {{0xff, 7},  {0xed, 5},  {0xd5, 3},  {0xc5, 1},   {0xb6, 0},   {0xb0, -1},  {0xa1, -3},
                 {0x91, -5}, {0x88, -7}, {0x72, -9}, {0x62, -11}, {0x58, -13}, {0x42, -15}, {0x00, -24}};
    size_t i = 0;
    while (table[i].setting > (setting & 0xff))
        i++;
    return table[i].dbm;
}

void rf_put(struct node *n, const struct device *d, uint8_t byte)
{
    struct rf *s = device_state(n, d);
    if (s->tx_sent && !s->tx_underflow) /* a new frame's first byte flushes the one that was sent */
        s->tx_sent = s->tx_count = 0;
    if (s->tx_count == RF_FIFO) {
        rf_flag(n, d, RF_RFERRF, ERROR_TXOVERF);
        return;
    }
    block32_set(n, d, RF_TXFIFO + 4 * s->tx_count++, byte);
}

static void rf_transmit_begin(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    rf_tune(n, d);
    s->tx_crc = 0;
    transmission_begin(n, &s->sent, node_now(n) + earshot_symbols(n, RF_CALIBRATION), s->heard.hertz,
                       rf_transmit_power(block32_get(n, d, RF_TXPOWER)));
    event_at(n, d, RF_EVENT_FSM, CLOCK_TICK, s->sent.begin);
}

static void rf_transmit_header(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    transmission_header(n, &s->sent, (block32_get(n, d, RF_MDMCTRL0) >> 1 & 15) + 1, RF_WORD);
}

/* ---- frames ---- */

static bool rf_transmit_is_ack(const struct rf *s)
{
    return s->fsm >= RF_ACK_CALIBRATE && s->fsm <= RF_ACK;
}

/* Byte i of the frame, its length being 0. False if the FIFO does not have it. */
static bool rf_transmit_byte(struct node *n, const struct device *d, unsigned i, unsigned length, uint8_t *byte)
{
    struct rf *s = device_state(n, d);
    bool ack = rf_transmit_is_ack(s), crc = ack || block32_get(n, d, RF_FRMCTRL0) & FRMCTRL0_AUTOCRC;
    if (crc && length >= 2 && i + 1 >= length && i > 0) {
        *byte = (uint8_t)(i == length ? s->tx_crc >> 8 : s->tx_crc);
        return true;
    }
    if (i >= (ack ? sizeof s->ack : s->tx_count))
        return false;
    *byte = ack ? s->ack[i] : (uint8_t)block32_get(n, d, RF_TXFIFO + 4 * i);
    if (i > 0)
        s->tx_crc = frame154_crc(s->tx_crc, *byte);
    return true;
}

static void rf_transmit_end_at(struct node *n, const struct device *d, uint64_t tick)
{
    struct rf *s = device_state(n, d);
    transmission_end(n, &s->sent, tick);
    if (s->fsm == RF_TX_FRAME || s->fsm == RF_ACK)
        event_at(n, d, RF_EVENT_FSM, CLOCK_TICK, tick);
}

void rf_say(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    uint8_t bytes[TRANSMISSION_PIECE] = {0};
    unsigned count = 0, i = s->sent.sent_bytes - s->sent.header;
    unsigned length = (rf_transmit_is_ack(s) ? s->ack[0] : block32_get(n, d, RF_TXFIFO)) & 0x7f;
    bool there = true;
    while (count < TRANSMISSION_PIECE && i <= length && (there = rf_transmit_byte(n, d, i, length, &bytes[count]))) {
        count++;
        i++;
    }
    transmission_say(n, &s->sent, bytes, count);
    if (!there)
        s->tx_underflow = 1;
    if (!there || i > length)
        rf_transmit_end_at(n, d, transmission_byte_begins(n, &s->sent, s->sent.sent_bytes));
    else
        event_at(n, d, RF_EVENT_SAY, CLOCK_TICK, transmission_due(n, &s->sent));
}

/* TX_MODE other than normal: the carrier is on until it is switched off. */
void rf_transmit(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    rf_enter(n, d, RF_TX_CALIBRATE);
    s->tx_underflow = 0;
    if (block32_get(n, d, RF_FRMCTRL1) & FRMCTRL1_RX_AFTER_TX)
        block32_set(n, d, RF_RXENABLE, block32_get(n, d, RF_RXENABLE) | 0x40);
    rf_transmit_begin(n, d);
    if (block32_get(n, d, RF_FRMCTRL0) & 3)
        return;
    rf_transmit_header(n, d);
    event_at(n, d, RF_EVENT_SAY, CLOCK_TICK, transmission_due(n, &s->sent));
}

void rf_acknowledge(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    bool pending = s->ack_pending || block32_get(n, d, RF_FRMCTRL1) & FRMCTRL1_PENDING_OR;
    rf_enter(n, d, RF_ACK_CALIBRATE);
    s->ack[0] = ACK_LENGTH;
    s->ack[1] = (uint8_t)(FRAME154_ACK | (pending ? FRAME154_PENDING : 0));
    s->ack[2] = 0;
    s->ack[3] = s->rx_header[2];
    rf_transmit_begin(n, d);
    rf_transmit_header(n, d);
    while (s->sent.end == NEVER)
        rf_say(n, d);
    event_cancel(n, d, RF_EVENT_SAY);
}

/* ---- the transmitting states ---- */

static void rf_transmit_in_frame(struct node *n, const struct device *d, enum rf_state state)
{
    struct rf *s = device_state(n, d);
    s->fsm = (uint8_t)state;
    s->sfd = 1;
    if (s->sent.end != NEVER)
        event_at(n, d, RF_EVENT_FSM, CLOCK_TICK, s->sent.end);
    rf_mac_capture(n, d);
    rf_flag(n, d, RF_RFIRQF0, IRQ0_SFD);
}

static void rf_transmit_in_preamble(struct node *n, const struct device *d, enum rf_state state)
{
    struct rf *s = device_state(n, d);
    s->fsm = (uint8_t)state;
    if (s->sent.sent_bytes) /* else it is a carrier alone */
        event_at(n, d, RF_EVENT_FSM, CLOCK_TICK, transmission_byte_begins(n, &s->sent, s->sent.header));
}

static void rf_transmit_finish(struct node *n, const struct device *d)
{
    struct rf *s = device_state(n, d);
    bool data = s->fsm == RF_TX_FRAME;
    s->sent.begin = NEVER;
    s->sfd = 0;
    if (data)
        s->tx_sent = 1;
    if (data && s->tx_underflow) {
        s->fsm = RF_TX_UNDERFLOW;
        rf_flag(n, d, RF_RFERRF, ERROR_TXUNDERF);
        return;
    }
    if (block32_get(n, d, RF_RXENABLE))
        rf_listen(n, d);
    else
        rf_enter(n, d, RF_IDLE);
    rf_flag(n, d, RF_RFIRQF1, data ? IRQ1_TXDONE : IRQ1_TXACKDONE);
}

void rf_transmit_step(struct node *n, const struct device *d)
{
    const struct rf *s = device_state(n, d);
    switch (s->fsm) {
    case RF_TX_CALIBRATE: rf_transmit_in_preamble(n, d, RF_TX_PREAMBLE); break;
    case RF_ACK_CALIBRATE: rf_transmit_in_preamble(n, d, RF_ACK_PREAMBLE); break;
    case RF_TX_PREAMBLE: rf_transmit_in_frame(n, d, RF_TX_FRAME); break;
    case RF_ACK_PREAMBLE: rf_transmit_in_frame(n, d, RF_ACK); break;
    case RF_TX_FRAME:
    case RF_ACK: rf_transmit_finish(n, d); break;
    default: break;
    }
}
