/* The handler takes each frame out of the radio's FIFO when it is complete, into the next buffer. While no buffer is
 * free, frames wait in the FIFO.
 *
 * Times: a delimiter causes an interrupt, sent or received. The frame that ends next is the one that it began, unless
 * the handler finds both at once: then it may be the delimiter of the frame after. A stamp is written into the FIFO's
 * memory at the delimiter of the frame that goes out, ahead of the transmitter. */
#include "board.h"
#include "bytes.h"
#include "radio_chip.h"
#include "spi.h"
#include "timer.h"

struct resource spi_bus; /* of radio.c; nothing shares this radio's */

#define RF(offset)  CC2538_REGISTER(0x40088000 + (offset))
#define TXFIFO(i)   RF(0x200 + 4 * (i))
#define PAN_ID(i)   RF(0x5c8 + 4 * (i))
#define SHORT_ID(i) RF(0x5d0 + 4 * (i))
#define FSMSTAT1    RF(0x64c)
#define RFIRQM0     RF(0x68c)
#define RFIRQM1     RF(0x690)
#define RFERRM      RF(0x694)
#define RFDATA      RF(0x828)
#define RFERRF      RF(0x82c)
#define RFIRQF1     RF(0x830)
#define RFIRQF0     RF(0x834)
#define RFST        RF(0x838)
enum { SRXON = 0xe3, STXONCCA = 0xea, SFLUSHRX = 0xed, SFLUSHTX = 0xee, SRFOFF = 0xef };
enum { STATUS_FIFO = 0x80, STATUS_FIFOP = 0x40, STATUS_SFD = 0x20, STATUS_CLEAR = 0x10, STATUS_SAMPLED_CLEAR = 0x08 };
enum { FLAG0_SFD = 0x02, FLAG0_FRAME = 0x40, FLAG1_SENT = 0x02, ERROR_OVERFLOW = 0x04 };
enum { CHECKED = 0x80, SHORTEST = 5, BUFFERS = 4 };

struct buffer {
    uint8_t bytes[127]; /* in place of the checksum are strength and quality */
    uint8_t length;
    uint32_t time;
    bool timed;
};

static void (*tell)(void);
static struct buffer buffers[BUFFERS];
static volatile uint8_t waiting; /* buffers with a frame, from `taking` on */
static uint8_t taking;
static volatile bool left; /* a frame is in the FIFO, for which there was no buffer */
static uint32_t delimiter;
static uint8_t stamp_at; /* in the transmit FIFO; 0: none */
static enum radio_chip_progress result;
static uint32_t sent_time;

/* ---- handlers ---- */

static void delimited(uint32_t time)
{
    delimiter = time;
    if (result != RADIO_CHIP_SENDING)
        return;
    sent_time = time;
    for (uint8_t i = 0; stamp_at && i < RADIO_STAMP; i++)
        TXFIFO(stamp_at + i) = time >> 8 * (RADIO_STAMP - 1 - i) & 0xff;
}

/* Twice, as with the radios before it. */
static void flush(void)
{
    RFST = SFLUSHRX;
    RFST = SFLUSHRX;
}

/* The frame in front. */
static void take(struct buffer *b, bool timed)
{
    b->length = RFDATA;
    if (b->length < SHORTEST || b->length > sizeof b->bytes) {
        flush();
        return;
    }
    for (uint8_t i = 0; i < b->length; i++)
        b->bytes[i] = RFDATA;
    if (!(b->bytes[b->length - 1] & CHECKED))
        return;
    b->time = delimiter;
    b->timed = timed;
    waiting++;
}

/* FIFOP without FIFO: it has overflowed. */
static void take_all(bool timed)
{
    uint32_t status;
    left = false;
    while ((status = FSMSTAT1) & STATUS_FIFOP) {
        if (!(status & STATUS_FIFO)) {
            flush();
        } else if (waiting == BUFFERS) {
            left = true;
            return;
        } else {
            take(&buffers[(taking + waiting) % BUFFERS], timed);
        }
        timed = false;
    }
}

CPU_INTERRUPT(26)
{
    uint32_t time = timer_now(), flags = RFIRQF0;
    RFIRQF0 = ~flags;
    if (flags & FLAG0_SFD)
        delimited(time);
    if (flags & FLAG0_FRAME || left)
        take_all(!(flags & FLAG0_SFD) && !left);
    if (RFIRQF1 & FLAG1_SENT) {
        RFIRQF1 = ~(uint32_t)FLAG1_SENT;
        result = RADIO_CHIP_GONE;
    }
    tell();
}

CPU_INTERRUPT(27)
{
    RFERRF = 0;
    flush();
}

/* ---- */

static void configure(uint8_t channel)
{
    static const struct {
        uint16_t offset;
        uint8_t value;
    } registers[] = {
        {0x600, 0x0d}, /* FRMFILT0: addresses are looked at */
        {0x608, 0},    /* SRCMATCH: those of senders are not */
        {0x624, 0x60}, /* FRMCTRL0: checksums and acknowledgements are the radio's */
        {0x640, 0xb6}, /* TXPOWER: 0 dBm */
        {0x650, 0x7f}, /* FIFOPCTRL: only a complete frame counts */
        {0x65c, 0x1a}, /* CCACTRL1: by carrier and energy; this and what follows: values the guide asks for */
        {0x658, 0xf8}, /* CCACTRL0: -81 dBm */
        {0x6b8, 0x01}, /* FSCAL1 */
        {0x6c8, 0x15}, /* AGCCTRL1 */
        {0x7e8, 0x09}, /* TXFILTCFG */
    };
    for (uint8_t i = 0; i < sizeof registers / sizeof *registers; i++)
        RF(registers[i].offset) = registers[i].value;
    CC2538_REGISTER(0x400d6004) = 0x0b;  /* IVCTRL */
    RF(0x63c) = 11 + 5 * (channel - 11); /* FREQCTRL, above 2394 MHz */
    for (uint8_t i = 0; i < 2; i++) {
        PAN_ID(i) = RADIO_NETWORK >> 8 * i & 0xff;
        SHORT_ID(i) = node_id >> 8 * i & 0xff;
    }
}

void radio_chip_start(uint8_t channel, void (*event)(void))
{
    tell = event;
    result = RADIO_CHIP_GONE;
    CC2538_RCGCRFC = CC2538_SCGCRFC = 1;
    configure(channel);
    RFIRQM0 = FLAG0_SFD | FLAG0_FRAME;
    RFIRQM1 = FLAG1_SENT;
    RFERRM = ERROR_OVERFLOW;
    CPU_INTERRUPT_ENABLE(CC2538_RF_NUMBER);
    CPU_INTERRUPT_ENABLE(CC2538_RF_ERROR_NUMBER);
    radio_chip_on();
}

void radio_chip_off(void)
{
    RFST = SRFOFF;
    board_clock_release();
}

void radio_chip_on(void)
{
    board_clock_hold();
    RFST = SRXON;
}

bool radio_chip_busy(void)
{
    return !(FSMSTAT1 & STATUS_CLEAR);
}

bool radio_chip_receiving(void)
{
    return FSMSTAT1 & STATUS_SFD;
}

void radio_chip_load(const uint8_t header[RADIO_HEADER], const struct radio_packet *p)
{
    RFST = SFLUSHTX;
    RFDATA = RADIO_HEADER + p->length + 2;
    for (uint8_t i = 0; i < RADIO_HEADER; i++)
        RFDATA = header[i];
    for (uint8_t i = 0; i < p->length; i++)
        RFDATA = p->data[i];
    stamp_at = p->stamp ? 1 + RADIO_HEADER + p->length - RADIO_STAMP : 0;
}

/* The radio says whether it found the channel clear, which it is not while a frame comes in or is acknowledged. */
bool radio_chip_send(bool timed)
{
    (void)timed;
    cpu_state saved = atomic_begin();
    RFST = STXONCCA;
    bool clear = FSMSTAT1 & STATUS_SAMPLED_CLEAR;
    if (clear)
        result = RADIO_CHIP_SENDING;
    atomic_end(saved);
    return clear;
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
    taking = (taking + 1) % BUFFERS;
    atomic_end(saved);
    if (left)
        CPU_INTERRUPT_RAISE(CC2538_RF_NUMBER);
}

uint8_t radio_chip_receive(uint8_t frame[127], struct radio_message *m)
{
    while (waiting) {
        const struct buffer *b = &buffers[taking];
        uint8_t length = b->length - 2;
        bool wanted = length < RADIO_HEADER || radio_wants(b->bytes);
        for (uint8_t i = 0; wanted && i < length; i++)
            frame[i] = b->bytes[i];
        m->rssi = b->bytes[length];
        m->lqi = b->bytes[length + 1] & 0x7f;
        m->time = b->time;
        m->timed = b->timed;
        release();
        if (wanted)
            return length;
    }
    return 0;
}
