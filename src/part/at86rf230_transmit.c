#include "part/at86rf230_internal.h"

enum { ACK_LENGTH = 5, TURNAROUND = 12, BACKOFF_SYMBOLS = 20, CCA_SYMBOLS = 8, ACK_WAIT_SYMBOLS = 54, MAX_BE = 5 };

/* "Register 0x05": tenths of dBm. */
static double at86rf230_transmit_output_power(unsigned level)
{
    static const int16_t tenths[16] = {30, 26, 21, 16, 11, 5, -2, -12, -22, -32, -42, -52, -72, -92, -122, -172};
    return tenths[level & 15] / 10.0;
}

static const uint8_t *at86rf230_transmit_frame(const struct rf230 *s)
{
    return s->acking ? s->ack : s->buffer;
}

/* ---- one frame ---- */

void rf230_transmit(struct node *n, const struct device *d, uint64_t tick)
{
    struct rf230 *s = device_state(n, d);
    s->tx_crc = 0;
    transmission_begin(n, &s->sent, tick, s->heard.hertz, at86rf230_transmit_output_power(s->registers[PHY_TX_PWR]));
    transmission_header(n, &s->sent, 3, RF230_WORD);
    uint64_t due = transmission_due(n, &s->sent);
    event_at(n, d, EVENT_SAY, CLOCK_TICK, due > node_now(n) ? due : node_now(n));
}

static bool at86rf230_transmit_adds_crc(const struct rf230 *s)
{
    return s->is_233 ? s->registers[TRX_CTRL_1] & TX_AUTO_CRC_ON_233 : s->registers[PHY_TX_PWR] & TX_AUTO_CRC_ON;
}

static uint8_t at86rf230_transmit_next_byte(struct rf230 *s, unsigned i, unsigned length)
{
    bool crc = s->acking || at86rf230_transmit_adds_crc(s);
    if (crc && length >= 2 && i + 1 == length)
        return (uint8_t)s->tx_crc;
    if (crc && length >= 2 && i == length)
        return (uint8_t)(s->tx_crc >> 8);
    uint8_t byte = at86rf230_transmit_frame(s)[i];
    if (i > 0)
        s->tx_crc = frame154_crc(s->tx_crc, byte);
    return byte;
}

/* The firmware may be writing the frame while it is sent, but must stay ahead. */
static bool outrun(const struct rf230 *s, unsigned i, unsigned length)
{
    bool writing = s->access == ACCESS_FRAME && s->command & 0x40;
    bool crc = at86rf230_transmit_adds_crc(s) && length >= 2 && i + 1 >= length;
    return !s->acking && writing && !crc && i >= s->written;
}

void rf230_say(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    uint8_t bytes[TRANSMISSION_PIECE] = {0};
    unsigned count = 0, i = s->sent.sent_bytes - s->sent.header, length = at86rf230_transmit_frame(s)[0] & 0x7f;
    rf230_use(n, d, 0, false);
    for (; count < TRANSMISSION_PIECE && i <= length; count++, i++) {
        if (outrun(s, i, length))
            rf230_interrupt(n, d, IRQ_TRX_UR);
        rf230_use(n, d, i, false);
        bytes[count] = at86rf230_transmit_next_byte(s, i, length);
    }
    transmission_say(n, &s->sent, bytes, count);
    if (i > length) {
        transmission_end(n, &s->sent, transmission_byte_begins(n, &s->sent, s->sent.sent_bytes));
        event_at(n, d, EVENT_SENT, CLOCK_TICK, s->sent.end);
    } else {
        event_at(n, d, EVENT_SAY, CLOCK_TICK, transmission_due(n, &s->sent));
    }
}

void rf230_acknowledge(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    s->acking = 1;
    s->ack[0] = ACK_LENGTH;
    s->ack[1] = (uint8_t)(FRAME154_ACK | (s->registers[CSMA_SEED_1] & AACK_SET_PD ? FRAME154_PENDING : 0));
    s->ack[2] = 0;
    s->ack[3] = s->rx_header[2];
    rf230_transmit(n, d, node_now(n) + earshot_symbols(n, TURNAROUND));
}

/* ---- TX_ARET: wait for the channel, send, wait for the acknowledgement, again ---- */

static void back_off(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    uint64_t periods = node_random(n) & ((1u << s->exponent) - 1);
    s->aret = ARET_BACKOFF;
    event_in(n, d, EVENT_ARET, CLOCK_TICK, earshot_symbols(n, periods * BACKOFF_SYMBOLS));
}

static void attempt(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    s->backoffs = 0;
    s->exponent = s->registers[CSMA_SEED_1] >> 6;
    if ((s->registers[XAH_CTRL] >> 1 & 7) == 7) { /* without CSMA-CA */
        s->aret = ARET_SEND;
        rf230_transmit(n, d, node_now(n) + earshot_symbols(n, TURNAROUND));
    } else {
        back_off(n, d);
    }
}

void rf230_aret_start(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    s->tries = 0;
    s->registers[TRX_STATE] |= TRAC_INVALID << 5;
    attempt(n, d);
}

static void at86rf230_transmit_conclude(struct node *n, const struct device *d, enum trac_status result)
{
    struct rf230 *s = device_state(n, d);
    s->registers[TRX_STATE] = (uint8_t)((s->registers[TRX_STATE] & 31) | result << 5);
    s->aret = ARET_NONE;
    s->receiving = 0;
    event_cancel(n, d, EVENT_ARET);
    rf230_interrupt(n, d, IRQ_TRX_END);
    rf230_settle(n, d, TX_ARET_ON);
}

static void after_assessment(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    uint64_t now = node_now(n);
    if (rf230_channel_clear(n, s, now - earshot_symbols(n, CCA_SYMBOLS), now)) {
        s->aret = ARET_SEND;
        rf230_transmit(n, d, now + earshot_symbols(n, TURNAROUND));
    } else if (++s->backoffs > (s->registers[XAH_CTRL] >> 1 & 7)) {
        at86rf230_transmit_conclude(n, d, TRAC_CHANNEL_ACCESS_FAILURE);
    } else {
        s->exponent += s->exponent < MAX_BE;
        back_off(n, d);
    }
}

void rf230_aret_step(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    switch ((enum rf230_aret)s->aret) {
    case ARET_BACKOFF:
        s->aret = ARET_ASSESS;
        event_in(n, d, EVENT_ARET, CLOCK_TICK, earshot_symbols(n, CCA_SYMBOLS));
        break;
    case ARET_ASSESS: after_assessment(n, d); break;
    case ARET_WAIT:
        s->receiving = 0;
        event_cancel(n, d, EVENT_RECEIVE);
        if (s->tries++ < s->registers[XAH_CTRL] >> 4)
            attempt(n, d);
        else
            at86rf230_transmit_conclude(n, d, TRAC_NO_ACK);
        break;
    default: break;
    }
}

void rf230_aret_heard(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    rf230_use(n, d, 3, false);
    bool acknowledges = s->rx_length == ACK_LENGTH && s->rx_crc == 0 && frame154_type(s->rx_header) == FRAME154_ACK &&
                        s->rx_header[2] == s->buffer[3];
    if (acknowledges)
        at86rf230_transmit_conclude(n, d, s->rx_header[0] & FRAME154_PENDING ? TRAC_DATA_PENDING : TRAC_SUCCESS);
    else
        rf230_search(n, d);
}

void rf230_sent(struct node *n, const struct device *d)
{
    struct rf230 *s = device_state(n, d);
    s->sent.begin = NEVER;
    rf230_use(n, d, 1, false);
    if (s->acking) {
        s->acking = 0;
        rf230_settle(n, d, RX_AACK_ON);
    } else if (s->state == BUSY_TX) {
        rf230_interrupt(n, d, IRQ_TRX_END);
        rf230_settle(n, d, PLL_ON);
    } else if (s->buffer[1] & FRAME154_ACK_REQUEST) {
        s->aret = ARET_WAIT;
        rf230_search(n, d);
        event_in(n, d, EVENT_ARET, CLOCK_TICK, earshot_symbols(n, ACK_WAIT_SYMBOLS));
    } else {
        at86rf230_transmit_conclude(n, d, TRAC_SUCCESS);
    }
}
