/* The chip has one buffer for both directions. What is to be sent is put there at each sending, once what was received
 * is out of it; what was received may be overwritten by the next frame while it is read, which its checksum tells.
 *
 * Frames without acknowledgement are sent in the basic mode, after an assessment of the channel: the first bit goes out
 * 16 us after the rising edge of SLP_TR, so that the time of the delimiter is known before it comes. Those with it go
 * in TX_ARET, which assesses the channel, sends once and waits for the answer.
 *
 * RX_START comes when the addresses of a frame have matched, its header and 9 us after the delimiter. */
#include "board.h"
#include "bytes.h"
#include "radio_chip.h"
#include "spi.h"
#include "task.h"
#include "timer.h"

/* Registers, their bits, and states (doc5131, 13 and 7.1). */
enum {
    TRX_STATUS = 0x01,
    TRX_STATE = 0x02,
    PHY_TX_PWR = 0x05,
    PHY_ED_LEVEL = 0x07,
    PHY_CC_CCA = 0x08,
    IRQ_MASK = 0x0e,
    IRQ_STATUS = 0x0f,
    SHORT_ADDR_0 = 0x20,
    PAN_ID_0 = 0x22,
    XAH_CTRL = 0x2c,
    CSMA_SEED_1 = 0x2e,
};
enum { CCA_DONE = 0x80, CCA_CLEAR = 0x40, CCA_REQUEST = 0x80, CCA_ENERGY = 0x20, AUTO_CRC = 0x80 };
enum { TRX_END = 0x08, RX_START = 0x04 };
enum { TRAC_CHANNEL_BUSY = 3, TRAC_NO_ANSWER = 5 };
enum { TRX_OFF = 0x08, PLL_ON = 0x09, FORCE_TRX_OFF = 0x03, BUSY_RX_AACK = 0x11, RX_AACK_ON = 0x16, TX_ARET_ON = 0x19 };
enum { READ_REGISTER = 0x80, WRITE_REGISTER = 0xc0, READ_FRAME = 0x20, WRITE_FRAME = 0x60, WRITE_SRAM = 0x40 };

#define TICKS_OF_US(us) (((us)*TICKS_PER_SECOND + 500000) / 1000000)
#define HEADER_TIME     TICKS_OF_US((1 + RADIO_HEADER - 1) * RADIO_CHIP_BYTE + 9) /* the type is no part of it here */
#define BASIC_TIME      TICKS_OF_US(16 + 5 * RADIO_CHIP_BYTE)
#define ARET_TIME       TICKS_OF_US(128 + 192 + 5 * RADIO_CHIP_BYTE)

static void (*tell)(void);
static volatile uint32_t risen_time;
static volatile bool risen;

static enum { LISTENING, ASLEEP, BASIC, ARET } mode;
static enum radio_chip_progress result;
static uint32_t sent_time, frame_time;
static bool frame_timed, started;
static uint8_t channel;
static const uint8_t *header;
static const struct radio_packet *packet;

void rf230_interrupt(uint32_t time)
{
    risen_time = time;
    risen = true;
    tell();
}

static uint8_t get(uint8_t which)
{
    rf230_select(true);
    spi_send(READ_REGISTER | which);
    uint8_t value = spi_exchange(0);
    rf230_select(false);
    return value;
}

static void set(uint8_t which, uint8_t value)
{
    rf230_select(true);
    spi_send(WRITE_REGISTER | which);
    spi_send(value);
    rf230_select(false);
}

static uint8_t chip_state(void)
{
    return get(TRX_STATUS) & 0x1f;
}

static void go(uint8_t state)
{
    set(TRX_STATE, state);
    while (chip_state() != state)
        ;
}

static void wait_us(uint16_t us)
{
    uint32_t end = timer_now() + TICKS_OF_US((uint32_t)us) + 2;
    while (!timer_reached(timer_now(), end))
        ;
}

static void listen(void)
{
    go(RX_AACK_ON);
    mode = LISTENING;
}

void radio_chip_start(uint8_t on_channel, void (*event)(void))
{
    tell = event;
    channel = on_channel;
    spi_start();
    rf230_pins_start();
    wait_us(510); /* P_ON to a running oscillator (7.1.4) */
    rf230_reset(true);
    wait_us(6);
    rf230_reset(false);
    wait_us(120);
    set(TRX_STATE, FORCE_TRX_OFF);
    go(TRX_OFF);
    set(PHY_CC_CCA, CCA_ENERGY | channel);
    set(PHY_TX_PWR, AUTO_CRC);
    set(IRQ_MASK, TRX_END | RX_START);
    set(XAH_CTRL, 0);    /* one transmission after one look at the channel, */
    set(CSMA_SEED_1, 0); /* at once */
    set(SHORT_ADDR_0, node_id & 0xff);
    set(SHORT_ADDR_0 + 1, node_id >> 8);
    set(PAN_ID_0, RADIO_NETWORK & 0xff);
    set(PAN_ID_0 + 1, RADIO_NETWORK >> 8);
    get(IRQ_STATUS);
    listen();
}

void radio_chip_off(void)
{
    set(TRX_STATE, FORCE_TRX_OFF);
    while (chip_state() != TRX_OFF)
        ;
    rf230_slp_tr(true);
    mode = ASLEEP;
    board_clock_release();
}

void radio_chip_on(void)
{
    board_clock_hold();
    rf230_slp_tr(false);
    wait_us(880);
    get(IRQ_STATUS);
    started = false;
    listen();
}

/* ---- the channel ---- */

static void ask_for_channel(void)
{
    set(PHY_CC_CCA, CCA_REQUEST | CCA_ENERGY | channel);
}

/* The answer of last time, which is long ago. */
bool radio_chip_busy(void)
{
    uint8_t status = get(TRX_STATUS);
    ask_for_channel();
    return (status & 0x1f) != RX_AACK_ON || ((status & CCA_DONE) && !(status & CCA_CLEAR));
}

bool radio_chip_receiving(void)
{
    return chip_state() == BUSY_RX_AACK;
}

static bool channel_clear(void)
{
    uint8_t status;
    if (chip_state() != RX_AACK_ON)
        return false;
    ask_for_channel();
    do {
        status = get(TRX_STATUS);
        if ((status & 0x1f) != RX_AACK_ON)
            return false;
    } while (!(status & CCA_DONE));
    return status & CCA_CLEAR;
}

/* ---- sending ---- */

void radio_chip_load(const uint8_t h[RADIO_HEADER], const struct radio_packet *p)
{
    header = h;
    packet = p;
}

static void fill_buffer(void)
{
    rf230_select(true);
    spi_send(WRITE_FRAME);
    spi_send(RADIO_HEADER + packet->length + 2);
    for (uint8_t i = 0; i < RADIO_HEADER; i++)
        spi_send(header[i]);
    for (uint8_t i = 0; i < packet->length; i++)
        spi_send(packet->data[i]);
    rf230_select(false);
}

/* Long before the transmitter comes there. */
static void stamp(void)
{
    uint8_t bytes[RADIO_STAMP];
    bytes_put32(bytes, sent_time);
    rf230_select(true);
    spi_send(WRITE_SRAM);
    spi_send(1 + RADIO_HEADER + packet->length - RADIO_STAMP);
    for (uint8_t i = 0; i < RADIO_STAMP; i++)
        spi_send(bytes[i]);
    rf230_select(false);
}

/* An interrupt that has not been looked at may stand for a frame in the buffer. */
bool radio_chip_send(bool timed)
{
    (void)timed;
    if (rf230_irq() || chip_state() != RX_AACK_ON || (!packet->acknowledge && !channel_clear()))
        return false;
    set(TRX_STATE, PLL_ON);
    while (chip_state() != PLL_ON)
        if (rf230_irq()) { /* a frame has begun: listen on after it */
            set(TRX_STATE, RX_AACK_ON);
            return false;
        }
    fill_buffer();
    if (packet->acknowledge)
        go(TX_ARET_ON);
    mode = packet->acknowledge ? ARET : BASIC;
    cpu_state saved = atomic_begin();
    rf230_slp_tr(true);
    sent_time = timer_now() + (mode == ARET ? ARET_TIME : BASIC_TIME);
    atomic_end(saved);
    rf230_slp_tr(false);
    if (packet->stamp)
        stamp();
    result = RADIO_CHIP_SENDING;
    return true;
}

uint32_t radio_chip_sent_time(void)
{
    return sent_time;
}

static void sent(void)
{
    uint8_t outcome = mode == ARET ? get(TRX_STATE) >> 5 : TRAC_NO_ANSWER;
    if (outcome == TRAC_CHANNEL_BUSY)
        result = RADIO_CHIP_CHANNEL_BUSY;
    else
        result = outcome == TRAC_NO_ANSWER ? RADIO_CHIP_GONE : RADIO_CHIP_ANSWERED;
    listen();
}

enum radio_chip_progress radio_chip_progress(void)
{
    return result;
}

/* ---- receiving ---- */

/* As the standard has it: lowest bit first, from 0. Over a whole frame with its checksum the result is 0. */
static uint16_t checksum(const uint8_t *bytes, uint8_t count)
{
    uint16_t crc = 0;
    while (count--) {
        uint8_t x = (uint8_t)crc ^ *bytes++;
        x ^= (uint8_t)(x << 4);
        crc = (crc >> 8 | (uint16_t)x << 8) ^ (uint8_t)(x >> 4) ^ (uint16_t)x << 3;
    }
    return crc;
}

static uint8_t read_frame(uint8_t frame[127], struct radio_message *m)
{
    rf230_select(true);
    spi_send(READ_FRAME);
    uint8_t length = spi_exchange(0);
    if (length < 5 || length > 127) {
        rf230_select(false);
        return 0;
    }
    for (uint8_t i = 0; i < length; i++)
        frame[i] = spi_exchange(0);
    m->lqi = spi_exchange(0);
    rf230_select(false);
    m->rssi = get(PHY_ED_LEVEL);
    m->time = frame_time;
    m->timed = frame_timed;
    return checksum(frame, length) == 0 ? length - 2 : 0;
}

/* If the end of one frame and the start of the next are flagged together, IRQ rose for the former. */
static void note_start(bool another)
{
    cpu_state saved = atomic_begin();
    frame_time = risen_time - HEADER_TIME;
    frame_timed = risen && !another;
    risen = false;
    atomic_end(saved);
    started = true;
}

uint8_t radio_chip_receive(uint8_t frame[127], struct radio_message *m)
{
    while (mode != ASLEEP && rf230_irq()) {
        uint8_t what = get(IRQ_STATUS);
        if (what & RX_START)
            note_start(started && what & TRX_END);
        if (!(what & TRX_END))
            continue;
        if (mode != LISTENING) {
            sent();
        } else if (started) {
            started = false;
            uint8_t length = read_frame(frame, m);
            if (length)
                return length;
        }
    }
    return 0;
}
