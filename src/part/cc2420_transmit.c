#include "part/cc2420_internal.h"

#include <string.h>

enum { SAY_AT_ONCE = 4, TURNAROUND = 12, ACK_LENGTH = 5 };

/* ---- what is said to the air ---- */

/* "Output Power Programming", table 9; levels between its rows on straight lines, those below its last as measured by
 * others. Tenths of dBm. */
static double output_power(unsigned level)
{
    static const int16_t tenths[32] = {-380, -330, -290, -250, -220, -192, -170, -150, -137, -125, -112,
                                       -100, -92,  -85,  -77,  -70,  -65,  -60,  -55,  -50,  -45,  -40,
                                       -35,  -30,  -25,  -20,  -15,  -10,  -8,   -5,   -3,   0};
    return tenths[level & 31] / 10.0;
}

static struct air_message message(const struct node *n, const struct cc2420 *s, enum air_kind kind, uint64_t tick)
{
    struct air_message m;
    memset(&m, 0, sizeof m);
    m.kind = kind;
    m.modulation = AIR_OQPSK_250K;
    m.sender = n->id;
    m.transmission = s->transmission;
    m.tick = tick;
    m.hertz = s->hertz;
    m.bit_rate = 250000;
    m.dbm = (float)output_power(s->registers[TXCTRL] & 31);
    return m;
}

static void say_bytes(struct node *n, struct cc2420 *s, const uint8_t *bytes, unsigned count)
{
    if (count == 0)
        return;
    struct air_message m = message(n, s, AIR_BYTES, cc2420_byte(n, s->tx_begin, s->tx_said));
    m.first = s->tx_said;
    m.count = (uint16_t)count;
    memcpy(m.bytes, bytes, count);
    s->tx_said = (uint16_t)(s->tx_said + count);
    air_send(n, &m);
}

static void say_end(struct node *n, struct cc2420 *s, uint64_t tick)
{
    struct air_message m = message(n, s, AIR_END, tick);
    s->tx_end = tick;
    air_send(n, &m);
}

/* Preamble and start delimiter: a nibble F of SYNCWORD is sent as 0 ("Frame Format"). */
static void say_header(struct node *n, struct cc2420 *s)
{
    uint8_t bytes[32] = {0};
    unsigned preamble = (s->registers[MDMCTRL0] & 15u) + 1, word = s->registers[SYNCWORD];
    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = word >> 4 * i & 15;
        if (nibble != 15)
            bytes[preamble + i / 2] |= (uint8_t)(nibble << 4 * (i % 2));
    }
    s->tx_header = (uint8_t)(preamble + 2);
    say_bytes(n, s, bytes, s->tx_header);
}

/* Says begin and header now: it is at least eight symbols before the preamble. */
static void begin(struct node *n, const struct device *d, unsigned symbols)
{
    struct cc2420 *s = device_state(n, d);
    cc2420_tune(s);
    s->transmission++;
    s->tx_begin = node_now(n) + earshot_symbols(n, symbols);
    s->tx_end = NEVER;
    s->tx_said = 0;
    s->tx_crc = 0;
    struct air_message m = message(n, s, AIR_BEGIN, s->tx_begin);
    air_send(n, &m);
    event_at(n, d, EVENT_FSM, CLOCK_TICK, s->tx_begin);
}

/* A byte is said AIR_AHEAD, four byte times, before it begins on the air. */
static void plan_saying(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    uint64_t begin_of_byte = cc2420_byte(n, s->tx_begin, s->tx_said);
    event_at(n, d, EVENT_SAY, CLOCK_TICK, begin_of_byte - node_ticks(n, AIR_AHEAD) - 1);
}

/* ---- frames ---- */

static bool acknowledging(const struct cc2420 *s)
{
    return s->fsm >= TX_ACK_CALIBRATE && s->fsm <= TX_ACK;
}

/* Byte i of the frame, its length being 0. False if the TXFIFO does not have it. */
static bool frame_byte(struct cc2420 *s, unsigned i, unsigned length, uint8_t *byte)
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

static void end_at(struct node *n, const struct device *d, uint64_t tick)
{
    struct cc2420 *s = device_state(n, d);
    say_end(n, s, tick);
    if (s->fsm == TX_FRAME || s->fsm == TX_ACK)
        event_at(n, d, EVENT_FSM, CLOCK_TICK, tick);
}

void cc2420_say(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    uint8_t bytes[SAY_AT_ONCE];
    unsigned count = 0, i = s->tx_said - s->tx_header;
    unsigned length = (acknowledging(s) ? s->ack[0] : s->ram[RAM_TXFIFO]) & 0x7f;
    bool there = true;
    while (count < SAY_AT_ONCE && i <= length && (there = frame_byte(s, i, length, &bytes[count]))) {
        count++;
        i++;
    }
    say_bytes(n, s, bytes, count);
    if (!there)
        s->tx_underflow = 1;
    if (!there || i > length)
        end_at(n, d, cc2420_byte(n, s->tx_begin, s->tx_said));
    else
        plan_saying(n, d);
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
    begin(n, d, s->registers[TXCTRL] & TXCTRL_TURNAROUND ? TURNAROUND : 8);
    if (continuous(s))
        return;
    say_header(n, s);
    plan_saying(n, d);
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
    begin(n, d, TURNAROUND);
    say_header(n, s);
    while (s->tx_end == NEVER)
        cc2420_say(n, d);
    event_cancel(n, d, EVENT_SAY);
}

/* ---- the transmitting states ---- */

static void in_frame(struct node *n, const struct device *d, enum cc2420_fsm state)
{
    struct cc2420 *s = device_state(n, d);
    s->fsm = (uint8_t)state;
    s->sfd = 1;
    if (s->tx_end != NEVER)
        event_at(n, d, EVENT_FSM, CLOCK_TICK, s->tx_end);
}

static void in_preamble(struct node *n, const struct device *d, enum cc2420_fsm state)
{
    struct cc2420 *s = device_state(n, d);
    s->fsm = (uint8_t)state;
    if (s->tx_said) /* else it is continuous */
        event_at(n, d, EVENT_FSM, CLOCK_TICK, cc2420_byte(n, s->tx_begin, s->tx_header));
}

static void finish(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    bool data = s->fsm == TX_FRAME;
    s->tx_begin = NEVER;
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
    case TX_ACK: finish(n, d); break;
    default: break;
    }
}

/* Switched off in the middle: what was said is not taken back, so the others hear the carrier a little longer. */
void cc2420_break_off(struct node *n, const struct device *d)
{
    struct cc2420 *s = device_state(n, d);
    if (s->tx_begin == NEVER)
        return;
    uint64_t tick = node_now(n) + node_ticks(n, AIR_AHEAD) + 1;
    if (s->tx_end == NEVER)
        say_end(n, s, tick > s->tx_begin ? tick : s->tx_begin);
    s->tx_begin = NEVER;
}
