/* The handler of the SPI, every 417 us, is a machine of its own:
 *
 *     SEARCH --two bytes of preamble--> SYNC --delimiter at any bit--> RECEIVE --frame ends, CRC good--> ANSWER -->
 * SEARCH SEARCH --radio_chip_send, the channel being clear--> SEND --> SEARCH
 *
 * Frames for this node or all nodes, and acknowledgements, wait in one of two buffers to be taken by
 * radio_chip_receive(). Without a free buffer nothing is received, so what is acknowledged is never lost here. */
#include "adc.h"
#include "board.h"
#include "bytes.h"
#include "crc.h"
#include "radio_chip.h"
#include "spi.h"
#include "task.h"
#include "timer.h"

/* Registers and values for 915 MHz (SWRS048, "Configuration registers"); the receiver's oscillator is 150 kHz above the
 * signal, which inverts what is received. */
enum {
    MAIN = 0x00,
    FREQ_2A = 0x01,
    CURRENT = 0x09,
    FRONT_END = 0x0a,
    PA_POW = 0x0b,
    PLL = 0x0c,
    CAL = 0x0e,
    MODEM0 = 0x11,
    MATCH = 0x12,
};
enum { MAIN_RECEIVE = 0x11, MAIN_SEND = 0xe1, MAIN_OFF = 0x39, MAIN_RESET = 0x3a };
enum {
    CURRENT_RECEIVE = 0x8c,
    CURRENT_SEND = 0xf3,
    POWER = 0x60,
    CAL_START = 0x80,
    CAL_DUAL = 0x26,
    CAL_COMPLETE = 0x08
};

#define PREAMBLE        0xaa
#define PREAMBLE_COUNT  8
#define ANSWER_PREAMBLE 4
#define DELIMITER       0x33cc
#define SYNC_BYTES      12 /* of preamble and delimiter, before it was noise */
#define BIT_US          52
#define BUSY_BELOW      304 /* of the converter: 0.89 V of 3 V, -90 dBm ("RSSI output") */
#define BUFFERS         2
#define FRAME_ACK       2
#define CONTROL_ACK     0x20
#define TICKS_OF_US(us) (((us)*TICKS_PER_SECOND + 500000) / 1000000)

static void (*tell)(void);
static volatile enum { OFF, SEARCH, SYNC, RECEIVE, ANSWER, SEND } state;

static struct buffer {
    uint8_t bytes[1 + 127]; /* length first */
    volatile bool full;
    uint32_t time;
    int8_t rssi;
} buffers[BUFFERS];
static uint8_t filling, taking;

/* What comes in: at SYNC the last 16 bits; then the byte before, of which `offset` bits are still to be used. */
static uint16_t window, crc;
static uint8_t before, offset, position;

/* What goes out. */
static const uint8_t *header, *data;
static uint8_t header_length, data_length, stamp[RADIO_STAMP], preamble, answer[3];
static const struct radio_packet *packet; /* loaded, and its header */
static const uint8_t *packet_header;
static bool stamped;
static volatile uint32_t sent_time;
static volatile enum radio_chip_progress result;

/* ---- switching; interrupts off ---- */

static void receive_on(void)
{
    cc1000_set(PA_POW, 0);
    cc1000_set(MAIN, MAIN_RECEIVE);
    cc1000_set(CURRENT, CURRENT_RECEIVE);
    cc1000_data_out(false);
    position = 0;
    state = SEARCH;
}

static void send_on(uint8_t preamble_count)
{
    cc1000_set(MAIN, MAIN_SEND);
    cc1000_set(CURRENT, CURRENT_SEND);
    cc1000_set(PA_POW, POWER);
    cc1000_data_out(true);
    cc1000_first(PREAMBLE);
    preamble = preamble_count;
    position = 0;
    crc = 0;
}

/* ---- what comes in; in the handler ---- */

static void answer_frame(const uint8_t *frame)
{
    answer[0] = FRAME_ACK;
    answer[1] = 0;
    answer[2] = frame[2];
    header = answer;
    header_length = sizeof answer;
    data_length = 0;
    stamped = false;
    state = ANSWER;
    send_on(ANSWER_PREAMBLE);
}

static void end_frame(struct buffer *b)
{
    const uint8_t *frame = b->bytes + 1;
    uint8_t kind = frame[0] & 7;
    uint16_t to = frame[5] | frame[6] << 8;
    state = SEARCH;
    position = 0;
    if (crc != 0 || (kind != FRAME_ACK && (b->bytes[0] < RADIO_HEADER + 2 || (to != node_id && to != RADIO_EVERYBODY))))
        return;
    b->full = true;
    filling = (filling + 1) % BUFFERS;
    tell();
    if (kind != FRAME_ACK && frame[0] & CONTROL_ACK && to == node_id)
        answer_frame(frame);
}

static void take(uint8_t byte)
{
    struct buffer *b = &buffers[filling];
    b->bytes[position] = byte;
    crc = crc_byte(crc, byte);
    if (position == 0 && (byte < 5 || byte > 127)) {
        state = SEARCH;
    } else if (position == b->bytes[0]) {
        end_frame(b);
    } else {
        position++;
    }
}

static void take_strength(struct adc_request *r, uint16_t value);
static struct adc_request strength = {.done = take_strength}; /* of a frame that has begun */
static void measure(void)
{
    adc_read(&strength);
}
static struct task measure_task = {.run = measure};

static void find_delimiter(uint8_t in)
{
    for (uint8_t left = 8; left--;) {
        window = window << 1 | (in >> 7);
        in <<= 1;
        if (window != DELIMITER || buffers[filling].full)
            continue;
        buffers[filling].time = timer_now() - TICKS_OF_US((uint32_t)left * BIT_US);
        offset = left;
        position = 0;
        crc = 0;
        state = RECEIVE;
        task_post(&measure_task);
        return;
    }
    if (++position == SYNC_BYTES) {
        state = SEARCH;
        position = 0;
    }
}

static void find_preamble(uint8_t in)
{
    if (in != PREAMBLE && in != (uint8_t)~PREAMBLE) {
        position = 0;
    } else if (++position == 2) {
        window = in;
        position = 0;
        state = SYNC;
    }
}

/* ---- what goes out; in the handler ---- */

static uint8_t body(uint8_t at)
{
    if (at < header_length)
        return header[at];
    at -= header_length;
    if (stamped && at + RADIO_STAMP >= data_length)
        return stamp[at + RADIO_STAMP - data_length];
    return data[at];
}

static void sent(void)
{
    if (state == SEND) {
        result = RADIO_CHIP_GONE;
        tell();
    }
    receive_on();
}

static uint8_t next_out(void)
{
    uint8_t at = position++, length = header_length + data_length, out;
    if (at < preamble)
        return PREAMBLE;
    at -= preamble;
    switch (at) {
    case 0: return DELIMITER >> 8;
    case 1: return DELIMITER & 0xff;
    case 2: /* the delimiter is out */
        sent_time = timer_now() + TICKS_OF_US(CC1000_DELAY);
        bytes_put32(stamp, sent_time);
        out = length + 2;
        break;
    default:
        at -= 3;
        if (at < length) {
            out = body(at);
        } else {
            if (at == length + 3)
                sent();
            return at == length ? crc >> 8 : at == length + 1 ? crc & 0xff : PREAMBLE;
        }
    }
    crc = crc_byte(crc, out);
    return out;
}

uint8_t cc1000_exchange(uint8_t in)
{
    in = ~in;
    switch (state) {
    case SEARCH: find_preamble(in); break;
    case SYNC: find_delimiter(in); break;
    case RECEIVE: {
        uint8_t last = before;
        before = in;
        take((uint16_t)((uint16_t)last << 8 | in) >> offset);
        return PREAMBLE;
    }
    case ANSWER:
    case SEND: return next_out();
    case OFF: break;
    }
    before = in;
    return PREAMBLE;
}

/* ---- the strength of signals ---- */

static bool channel_busy;
static bool send_wanted;

static void take_strength(struct adc_request *r, uint16_t value)
{
    (void)r;
    buffers[filling].rssi = value >> 2;
}

static void look_at_channel(struct adc_request *r, uint16_t value);
static struct adc_request look = {.done = look_at_channel};

static void look_at_channel(struct adc_request *r, uint16_t value)
{
    (void)r;
    channel_busy = value < BUSY_BELOW;
    if (!send_wanted)
        return;
    send_wanted = false;
    cpu_state saved = atomic_begin();
    if (channel_busy || state != SEARCH) {
        result = RADIO_CHIP_CHANNEL_BUSY;
        tell();
    } else {
        header = packet_header;
        header_length = RADIO_HEADER;
        data = packet->data;
        data_length = packet->length;
        stamped = packet->stamp;
        state = SEND;
        send_on(PREAMBLE_COUNT);
    }
    atomic_end(saved);
}

bool radio_chip_busy(void)
{
    bool busy = channel_busy || radio_chip_receiving();
    adc_read(&look);
    return busy;
}

bool radio_chip_receiving(void)
{
    return state == SYNC || state == RECEIVE || state == ANSWER;
}

/* ---- */

static void wait_us(uint16_t us)
{
    uint32_t end = timer_now() + TICKS_OF_US((uint32_t)us) + 2;
    while (!timer_reached(timer_now(), end))
        ;
}

static void calibrate(uint8_t main, uint8_t current)
{
    cc1000_set(MAIN, main);
    cc1000_set(CURRENT, current);
    cc1000_set(CAL, CAL_START | CAL_DUAL);
    while (!(cc1000_get(CAL) & CAL_COMPLETE))
        ;
    cc1000_set(CAL, CAL_DUAL);
}

void radio_chip_start(uint8_t channel, void (*event)(void))
{
    static const uint8_t frequencies[] = {0x7c, 0x00, 0x00, 0x7b, 0xf9, 0xae, 0x02, 0x38}; /* A, B, separation */
    (void)channel;
    tell = event;
    strength.channel = look.channel = CC1000_STRENGTH;
    cc1000_pins_start();
    cc1000_set(MAIN, MAIN_RESET);
    cc1000_set(MAIN, MAIN_RESET | 1);
    wait_us(2000); /* the crystal */
    for (uint8_t i = 0; i < sizeof frequencies; i++)
        cc1000_set(FREQ_2A + i, frequencies[i]);
    cc1000_set(FRONT_END, 0x32); /* the strength on its pin */
    cc1000_set(PLL, 8 << 3);
    cc1000_set(MODEM0, 0x55); /* 38.4 kBaud, Manchester, a crystal of 14.7 MHz */
    cc1000_set(MATCH, 0x10);
    cc1000_set(PA_POW, 0);
    calibrate(MAIN_RECEIVE, CURRENT_RECEIVE);
    calibrate(MAIN_SEND, CURRENT_SEND);
    board_clock_hold();
    receive_on();
    cc1000_spi_start();
}

void radio_chip_off(void)
{
    cpu_state saved = atomic_begin();
    state = OFF;
    cc1000_set(MAIN, MAIN_OFF);
    atomic_end(saved);
    board_clock_release();
}

void radio_chip_on(void)
{
    board_clock_hold();
    cpu_state saved = atomic_begin();
    channel_busy = false;
    receive_on();
    atomic_end(saved);
}

void radio_chip_load(const uint8_t h[RADIO_HEADER], const struct radio_packet *p)
{
    packet_header = h;
    packet = p;
}

bool radio_chip_send(bool timed)
{
    (void)timed;
    result = RADIO_CHIP_SENDING;
    send_wanted = true;
    adc_read(&look);
    return true;
}

enum radio_chip_progress radio_chip_progress(void)
{
    return result;
}

uint32_t radio_chip_sent_time(void)
{
    return sent_time;
}

uint8_t radio_chip_receive(uint8_t frame[127], struct radio_message *m)
{
    struct buffer *b = &buffers[taking];
    if (!b->full)
        return 0;
    uint8_t length = b->bytes[0] - 2;
    for (uint8_t i = 0; i < length; i++)
        frame[i] = b->bytes[1 + i];
    m->rssi = b->rssi;
    m->lqi = 0;
    m->time = b->time;
    m->timed = true;
    taking = (taking + 1) % BUFFERS;
    b->full = false;
    return length;
}
