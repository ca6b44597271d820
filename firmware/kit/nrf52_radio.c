/* While it listens, the radio writes each frame into the next buffer. A frame for this node that asks for an answer
 * gets one 192 us after its end: the end of a frame starts a timer, and the timer starts the transmitter, if the
 * handler has allowed it until then. So the time of an answer does not depend on what the CPU does meanwhile.
 *
 *     LISTEN --radio_chip_send--> SEND --gone, or channel busy--> LISTEN
 *     LISTEN --frame for this node--> ANSWER --gone, or too late--> LISTEN
 *
 * Times: the radio says when it is past a frame's length, a byte after the delimiter. A stamp is written into the
 * buffer then, ahead of the transmitter. */
#include <motet.h>
#include <string.h>

#include "board.h"
#include "bytes.h"
#include "radio_chip.h"
#include "spi.h"
#include "timer.h"

struct resource spi_bus; /* of radio.c; nothing shares this radio's */

enum { TXEN, RXEN, START, STOP, DISABLE, RSSISTART, CCASTART = 11 };
enum { DISABLED = 4, RSSIEND = 7, CRCOK = 12, CRCERROR, FRAMESTART, CCABUSY = 18 };
enum {
    READY_START = 1 << 0,
    ADDRESS_RSSISTART = 1 << 4,
    CCAIDLE_TXEN = 1 << 12,
    PHYEND_DISABLE = 1 << 20,
};
enum { LISTENING = READY_START | ADDRESS_RSSISTART, SENDING = READY_START | PHYEND_DISABLE | CCAIDLE_TXEN };
#define TASK(number)  NRF_TASK(NRF_RADIO, number)
#define EVENT(number) NRF_EVENT(NRF_RADIO, number)
#define PACKETPTR     NRF_REGISTER(NRF_RADIO, 0x504)
#define RSSISAMPLE    NRF_REGISTER(NRF_RADIO, 0x548)
#define RADIO_STATE   NRF_REGISTER(NRF_RADIO, 0x550)
enum { RADIO_NUMBER = 1, STATE_RX = 3 };

/* TIMER0 runs from the end of a frame to CC[0] and stops there. Channel 20 of the interconnect is fixed: it joins that
 * to TXEN. Channel 0 is ours. */
enum { TIMER_START = 0, TIMER_CLEAR = 3, TIMER_COMPARE0 = 16, TIMER_COMPARE0_STOP = 1 << 8, RADIO_END = 3 };
#define TIMER_CC0      NRF_REGISTER(NRF_TIMER0, 0x540)
#define PPI_CHENSET    NRF_REGISTER(NRF_PPI, 0x504)
#define PPI_CHENCLR    NRF_REGISTER(NRF_PPI, 0x508)
#define PPI_EVENT0     NRF_REGISTER(NRF_PPI, 0x510)
#define PPI_TASK0      NRF_REGISTER(NRF_PPI, 0x514)
#define PPI_FORK0      NRF_REGISTER(NRF_PPI, 0x910)
#define ANSWER_CHANNEL (1u << 20)
#define ANSWER_US      (192 - 23 - 30) /* without the time that the receiver's END is late, and the ramp-up */

enum { TYPE_MASK = 7, TYPE_DATA = 1, TYPE_ACK = 2, ASKS = 0x20, SHORT_ADDRESSES = 0x88, ACK_LENGTH = 5 };
enum { BUFFERS = 4, QUIET = 90 /* -dBm: above it another node is heard */ };

struct buffer {
    uint8_t bytes[128]; /* the length, then the frame; what the checksum leaves is the quality of the link */
    uint32_t time;
    bool timed;
    int8_t rssi;
};

static enum { OFF, LISTEN, SEND, ANSWER } state;
static void (*tell)(void);
static struct buffer buffers[BUFFERS];
static volatile uint8_t filling, waiting; /* the one in use; how many before it wait, from `taking` on */
static uint8_t taking;
static volatile bool receiving;
static uint8_t out[128], answer[4] = {ACK_LENGTH, TYPE_ACK};
static uint8_t stamp_at; /* in `out`; 0: none */
static enum radio_chip_progress result;
static uint32_t sent_time;

static void listen(void)
{
    state = LISTEN;
    receiving = false;
    NRF_SHORTS(NRF_RADIO) = LISTENING;
    PACKETPTR = (uint32_t)(uintptr_t)buffers[filling].bytes;
}

/* ---- handlers ---- */

static void frame_started(void)
{
    uint32_t time = timer_now() - 1; /* the length takes 32 us, which is a tick */
    if (state == SEND) {
        sent_time = time;
        if (stamp_at)
            bytes_put32(out + stamp_at, time);
    } else if (state == LISTEN) {
        receiving = true;
        NRF_EVENT(NRF_TIMER0, TIMER_COMPARE0) = 0;
        buffers[filling].time = time;
        buffers[filling].timed = !EVENT(CRCOK);
    }
}

static uint16_t pair(const uint8_t *bytes)
{
    return bytes[0] | bytes[1] << 8;
}

static bool is_wanted(const uint8_t *frame, uint8_t length)
{
    uint8_t type = frame[0] & TYPE_MASK;
    if (type == TYPE_ACK)
        return length == ACK_LENGTH;
    return type == TYPE_DATA && length >= RADIO_HEADER + 2 && frame[1] == SHORT_ADDRESSES &&
           pair(frame + 3) == RADIO_NETWORK && (pair(frame + 5) == node_id || pair(frame + 5) == RADIO_EVERYBODY);
}

static bool is_to_be_answered(const uint8_t *frame)
{
    return (frame[0] & (TYPE_MASK | ASKS)) == (TYPE_DATA | ASKS) && pair(frame + 5) == node_id;
}

/* False: it is too late. */
static bool answers(uint8_t number)
{
    answer[3] = number;
    PACKETPTR = (uint32_t)(uintptr_t)answer;
    NRF_SHORTS(NRF_RADIO) = SENDING;
    PPI_CHENSET = ANSWER_CHANNEL;
    if (!NRF_EVENT(NRF_TIMER0, TIMER_COMPARE0))
        return true;
    PPI_CHENCLR = ANSWER_CHANNEL;
    return false;
}

static void frame_received(void)
{
    struct buffer *b = &buffers[filling];
    motet_filled(b->bytes, 1 + RADIO_HEADER);
    bool keep = is_wanted(b->bytes + 1, b->bytes[0]) && waiting < BUFFERS - 1;
    bool answered = keep && is_to_be_answered(b->bytes + 1) && answers(b->bytes[3]);
    if (keep) {
        if (b->bytes[0] > 1 + RADIO_HEADER) /* the rest, for which the answer does not wait */
            motet_filled(b->bytes + 1 + RADIO_HEADER, b->bytes[0] - (1 + RADIO_HEADER));
        b->rssi = -(int8_t)RSSISAMPLE;
        filling = (filling + 1) % BUFFERS;
        waiting++;
        tell();
    }
    if (answered) {
        receiving = false;
        state = ANSWER;
    } else {
        listen();
        TASK(START) = 1;
    }
}

/* A frame of this node has gone. */
static void frame_sent(void)
{
    bool own = state == SEND;
    PPI_CHENCLR = ANSWER_CHANNEL;
    listen();
    TASK(RXEN) = 1;
    if (own) {
        result = RADIO_CHIP_GONE;
        tell();
    }
}

static void channel_busy(void)
{
    result = RADIO_CHIP_CHANNEL_BUSY;
    listen();
    TASK(START) = 1;
    tell();
}

static bool happened(unsigned event)
{
    bool set = EVENT(event);
    if (set)
        EVENT(event) = 0;
    return set;
}

CPU_INTERRUPT(1)
{
    if (happened(FRAMESTART))
        frame_started();
    if (happened(CRCOK) && state == LISTEN)
        frame_received();
    if (happened(CRCERROR) && state == LISTEN) {
        listen();
        TASK(START) = 1;
    }
    if (happened(CCABUSY) && state == SEND)
        channel_busy();
    if (happened(DISABLED) && (state == SEND || state == ANSWER))
        frame_sent();
}

/* ---- */

static void configure(uint8_t channel)
{
    static const struct {
        uint16_t offset;
        uint32_t value;
    } registers[] = {
        {0x50c, 0},                     /* TXPOWER: 0 dBm */
        {0x510, 15},                    /* MODE: IEEE 802.15.4 at 250 kbit/s */
        {0x514, 8 | 2 << 24 | 1 << 26}, /* PCNF0: a length of 8 bits, a preamble of 32, the length counts the CRC */
        {0x518, 127},                   /* PCNF1 */
        {0x534, 2 | 2 << 8},            /* CRCCNF: two bytes, not over the length */
        {0x538, 0x11021},               /* CRCPOLY */
        {0x53c, 0},                     /* CRCINIT */
        {0x650, 1 | 2 << 8},            /* MODECNF0: fast ramp-up */
        {0x66c, 3 | 15 << 8 | 20 << 16 | 2u << 24}, /* CCACTRL: by carrier or energy, from -77 dBm */
    };
    for (uint8_t i = 0; i < sizeof registers / sizeof *registers; i++)
        NRF_REGISTER(NRF_RADIO, registers[i].offset) = registers[i].value;
    NRF_REGISTER(NRF_RADIO, 0x508) = 5 * (channel - 10); /* FREQUENCY, above 2400 MHz */
}

static void prepare_answers(void)
{
    NRF_REGISTER(NRF_TIMER0, 0x508) = 0; /* BITMODE: 16 */
    NRF_REGISTER(NRF_TIMER0, 0x510) = 4; /* PRESCALER: 1 MHz */
    TIMER_CC0 = ANSWER_US;
    NRF_SHORTS(NRF_TIMER0) = TIMER_COMPARE0_STOP;
    PPI_EVENT0 = NRF_RADIO + 0x100 + 4 * RADIO_END;
    PPI_TASK0 = NRF_TIMER0 + 4 * TIMER_CLEAR;
    PPI_FORK0 = NRF_TIMER0 + 4 * TIMER_START;
    PPI_CHENSET = 1;
}

void radio_chip_start(uint8_t channel, void (*event)(void))
{
    tell = event;
    NRF_TASK(NRF_CLOCK, 0) = 1; /* the crystal of 32 MHz, which the radio needs */
    while (!NRF_EVENT(NRF_CLOCK, 0))
        ;
    configure(channel);
    prepare_answers();
    NRF_INTENSET(NRF_RADIO) = 1u << FRAMESTART | 1u << CRCOK | 1u << CRCERROR | 1u << CCABUSY | 1u << DISABLED;
    CPU_INTERRUPT_ENABLE(RADIO_NUMBER);
    radio_chip_on();
}

void radio_chip_off(void)
{
    cpu_state saved = atomic_begin();
    state = OFF;
    receiving = false;
    EVENT(DISABLED) = 0;
    TASK(DISABLE) = 1;
    while (!EVENT(DISABLED))
        ;
    atomic_end(saved);
}

void radio_chip_on(void)
{
    listen();
    TASK(RXEN) = 1;
}

bool radio_chip_busy(void)
{
    EVENT(RSSIEND) = 0;
    TASK(RSSISTART) = 1;
    while (!EVENT(RSSIEND))
        ;
    return receiving || RSSISAMPLE < QUIET;
}

bool radio_chip_receiving(void)
{
    return receiving || state == ANSWER;
}

void radio_chip_load(const uint8_t header[RADIO_HEADER], const struct radio_packet *p)
{
    out[0] = RADIO_HEADER + p->length + 2;
    memcpy(out + 1, header, RADIO_HEADER);
    memcpy(out + 1 + RADIO_HEADER, p->data, p->length);
    stamp_at = p->stamp ? 1 + RADIO_HEADER + p->length - RADIO_STAMP : 0;
}

/* A frame whose preamble is on the air is given up; the assessment notices it. */
bool radio_chip_send(bool timed)
{
    (void)timed;
    cpu_state saved = atomic_begin();
    bool free = state == LISTEN && !receiving && !EVENT(FRAMESTART) && RADIO_STATE == STATE_RX;
    if (free) {
        state = SEND;
        result = RADIO_CHIP_SENDING;
        TASK(STOP) = 1;
        NRF_SHORTS(NRF_RADIO) = SENDING;
        PACKETPTR = (uint32_t)(uintptr_t)out;
        TASK(CCASTART) = 1;
    }
    atomic_end(saved);
    return free;
}

enum radio_chip_progress radio_chip_progress(void)
{
    return result;
}

uint32_t radio_chip_sent_time(void)
{
    return sent_time;
}

static void release(void)
{
    cpu_state saved = atomic_begin();
    waiting--;
    atomic_end(saved);
    taking = (taking + 1) % BUFFERS;
}

uint8_t radio_chip_receive(uint8_t frame[127], struct radio_message *m)
{
    while (waiting) {
        const struct buffer *b = &buffers[taking];
        uint8_t length = b->bytes[0] - 2;
        bool wanted = length < RADIO_HEADER || radio_wants(b->bytes + 1);
        if (wanted)
            memcpy(frame, b->bytes + 1, length);
        m->rssi = b->rssi;
        m->lqi = b->bytes[1 + length] > 63 ? 255 : 4 * b->bytes[1 + length]; /* 6.20.12.7 */
        m->time = b->time;
        m->timed = b->timed;
        release();
        if (wanted)
            return length;
    }
    return 0;
}
