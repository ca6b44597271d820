#include "part/cc2420_internal.h"

enum { TURNAROUND = 12, ACK_LENGTH = 5 };

/* "Output Power Programming", table 9; levels between its rows on straight lines, those below its last as measured by
 * others. Tenths of dBm. */
static double cc2420_transmit_output_power(unsigned level)
{
    static const int16_t tenths[32] = {-380, -330, -290, -250, -220, -192, -170, -150, -137, -125, -112,
                                       -100, -92,  -85,  -77,  -70,  -65,  -60,  -55,  -50,  -45,  -40,
                                       -35,  -30,  -25,  -20,  -15,  -10,  -8,   -5,   -3,   0};
    return tenths[level & 31] / 10.0;
}

static void cc2420_transmit_begin(struct node *n, const struct device *d, unsigned symbols)
{
    struct cc2420 *s = device_state(n, d);
    cc2420_tune(s);
    s->tx_crc = 0;
    transmission_begin(n, &s->sent, node_now(n) + earshot_symbols(n, symbols), s->heard.hertz,
                       cc2420_transmit_output_power(s->registers[TXCTRL] & 31));
    event_at(n, d, EVENT_FSM, CLOCK_TICK, s->sent.begin);
}

static void say_header(struct node *n, struct cc2420 *s)
{
    transmission_header(n, &s->sent, (s->registers[MDMCTRL0] & 15u) + 1, s->registers[SYNCWORD]);
}

/* ---- frames ---- */

static bool acknowledging(const struct cc2420 *s)
{
    return s->fsm >= TX_ACK_CALIBRATE && s->fsm <= TX_ACK;
}

/* Byte i of the frame, its length being 0. False if the TXFIFO does not have it. */
static bool cc2420_transmit_frame_byte(struct cc2420 *s, unsigned i, unsigned length, uint8_t *byte)
{
    bool crc = acknowledging(s) || s->registers[MDMCTRL0] & MDMCTRL0_AUTOCRC;
    const uint8_t *from = acknowledging(s) ? s->ack : s->ram + RAM_TXFIFO;
    unsigned count = acknowledging(s) ? sizeof s->ack : s->tx_count;
    if (crc && length >= 2 && i + 1 == length) {
        *byte = (uint8_t)s->tx_crc;
    } else if (crc && length >= 2 && i == length) {
        *byte = (uint8_t)(s->tx_crc >> 8);
    } else {
        if (i >= count)
            return false;
        *byte = from[i];
        if (i > 0)
            s->tx_crc = frame154_crc(s->tx_crc, *byte);
    }
    return true;
}

static void cc2420_transmit_end_at(struct node *n, const struct device *d, uint64_t tick)
{
    struct cc2420 *s = device_state(n, d);
    transmission_end(n, &s->sent, tick);
    if (s->fsm == TX_FRAME || s->fsm == TX_ACK)
        event_at(n, d, EVENT_FSM, CLOCK_TICK, tick);
}

void cc2420_say(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    uint8_t bytes[TRANSMISSION_PIECE] = {0};
    unsigned count = 0, i = s->sent.sent_bytes - s->sent.header;
    unsigned length = (acknowledging(s) ? s->ack[0] : s->ram[RAM_TXFIFO]) & 0x7f;
    bool there = true;
    if (!acknowledging(s)) {
        uses_state(n, d, offsetof(struct cc2420, ram) + RAM_TXFIFO, 1, false);
        uses_state(n, d, offsetof(struct cc2420, ram) + RAM_TXFIFO + i, TRANSMISSION_PIECE, false);
    }
    while (count < TRANSMISSION_PIECE && i <= length &&
           (there = cc2420_transmit_frame_byte(s, i, length, &bytes[count]))) {
        count++;
        i++;
    }
    transmission_say(n, &s->sent, bytes, count);
    if (!there)
        s->tx_underflow = 1;
    if (!there || i > length)
        cc2420_transmit_end_at(n, d, transmission_byte_begins(n, &s->sent, s->sent.sent_bytes));
    else
        event_at(n, d, EVENT_SAY, CLOCK_TICK, transmission_due(n, &s->sent));
}

/* TX_MODE other than buffered: the carrier is on, with bytes of no meaning, until it is switched off. */
static bool continuous(const struct cc2420 *s)
{
    return s->registers[MDMCTRL1] >> 2 & 3;
}

void cc2420_transmit(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->registers[SECCTRL0] & 3)
        cc2420_secure(n, d, SECURITY_TRANSMIT);
    cc2420_enter(n, d, TX_CALIBRATE);
    s->tx_underflow = 0;
    cc2420_transmit_begin(n, d, s->registers[TXCTRL] & TXCTRL_TURNAROUND ? TURNAROUND : 8);
    if (continuous(s))
        return;
    say_header(n, s);
    event_at(n, d, EVENT_SAY, CLOCK_TICK, transmission_due(n, &s->sent));
}

void cc2420_acknowledge(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    uint8_t sequence = s->rx_header[2];
    cc2420_enter(n, d, TX_ACK_CALIBRATE);
    s->ack[0] = ACK_LENGTH;
    s->ack[1] = (uint8_t)(FRAME154_ACK | (s->ack_pending ? FRAME154_PENDING : 0));
    s->ack[2] = 0;
    s->ack[3] = sequence;
    cc2420_transmit_begin(n, d, TURNAROUND);
    say_header(n, s);
    while (s->sent.end == NEVER)
        cc2420_say(n, d);
    event_cancel(n, d, EVENT_SAY);
}

/* ---- the transmitting states ---- */

static void in_frame(struct node *n, const struct device *d, enum cc2420_fsm state)
{
    struct cc2420 *s = device_state(n, d);
    s->fsm = (uint8_t)state;
    s->sfd = 1;
    if (s->sent.end != NEVER)
        event_at(n, d, EVENT_FSM, CLOCK_TICK, s->sent.end);
}

static void in_preamble(struct node *n, const struct device *d, enum cc2420_fsm state)
{
    struct cc2420 *s = device_state(n, d);
    s->fsm = (uint8_t)state;
    if (s->sent.sent_bytes) /* else it is continuous */
        event_at(n, d, EVENT_FSM, CLOCK_TICK, transmission_byte_begins(n, &s->sent, s->sent.header));
}

static void cc2420_transmit_finish(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    bool data = s->fsm == TX_FRAME;
    s->sent.begin = NEVER;
    s->sfd = 0;
    if (data)
        s->tx_sent = 1;
    if (data && s->tx_underflow)
        s->fsm = TX_UNDERFLOW;
    else
        cc2420_listen(n, d);
}

void cc2420_transmit_step(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    switch ((enum cc2420_fsm)s->fsm) {
    case TX_CALIBRATE: in_preamble(n, d, TX_PREAMBLE); break;
    case TX_ACK_CALIBRATE: in_preamble(n, d, TX_ACK_PREAMBLE); break;
    case TX_PREAMBLE: in_frame(n, d, TX_FRAME); break;
    case TX_ACK_PREAMBLE: in_frame(n, d, TX_ACK); break;
    case TX_FRAME:
    case TX_ACK: cc2420_transmit_finish(n, d); break;
    default: break;
    }
}
