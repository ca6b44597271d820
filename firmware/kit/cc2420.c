/* Times: the board notes the time of each rising SFD. That of a frame to be sent is the first after the strobe. That of
 * a received one is the last before FIFOP rose, if the two are as far apart as the frame is long: else it waited after
 * another, or another's delimiter came between.
 *
 * A stamp is written into the transmit buffer when SFD has risen, ahead of the transmitter, which then is still at the
 * frame's length or soon after. */
#include "board.h"
#include "bytes.h"
#include "radio_chip.h"
#include "spi.h"
#include "timer.h"

/* Strobes and registers (SWRS041, table 11). */
enum {
    SNOP = 0x00,
    SXOSCON = 0x01,
    SRXON = 0x03,
    STXONCCA = 0x05,
    SRFOFF = 0x06,
    SFLUSHRX = 0x08,
    SFLUSHTX = 0x09,
    MDMCTRL0 = 0x11,
    MDMCTRL1 = 0x12,
    RXCTRL1 = 0x17,
    FSCTRL = 0x18,
    SECCTRL0 = 0x19,
    IOCFG0 = 0x1c,
    TXFIFO = 0x3e,
    RXFIFO = 0x3f,
    READ = 0x40,
};
enum { RAM_TXFIFO = 0, RAM_PANID = 0x168, RAM_SHORTADR = 0x16a };
#define TICKS_OF_US(us) ((us)*TICKS_PER_SECOND / 1000000)
#define TOLERANCE       4 /* ticks: a handler may come late */

enum { STATUS_XOSC = 1 << 6, STATUS_TX_ACTIVE = 1 << 3 };

static void strobe(uint8_t which)
{
    cc2420_select(true);
    spi_send(which);
    cc2420_select(false);
}

static uint8_t chip_status(void)
{
    cc2420_select(true);
    uint8_t status = spi_exchange(SNOP);
    cc2420_select(false);
    return status;
}

static void set_register(uint8_t which, uint16_t value)
{
    cc2420_select(true);
    spi_send(which);
    spi_send(value >> 8);
    spi_send(value & 0xff);
    cc2420_select(false);
}

static void set_ram(uint16_t address, const uint8_t *bytes, uint8_t count)
{
    cc2420_select(true);
    spi_send(0x80 | (address & 0x7f));
    spi_send(address >> 1 & 0xc0);
    while (count--)
        spi_send(*bytes++);
    cc2420_select(false);
}

static void wait_ticks(uint32_t ticks)
{
    uint32_t end = timer_now() + ticks + 1;
    while (!timer_reached(timer_now(), end))
        ;
}

/* ---- times ---- */

static void (*tell)(void);
static volatile uint32_t delimiter_time, end_time; /* of the last SFD and FIFOP */
static volatile uint32_t end_delimiter;            /* the last delimiter when FIFOP rose */
static volatile bool sent_awaited, ended;
static bool watching = true;
static volatile bool waiting; /* something is in the receive buffer, perhaps */
static volatile uint32_t sent_time;

void cc2420_delimiter(uint32_t time)
{
    delimiter_time = time;
    if (sent_awaited) {
        sent_time = time;
        sent_awaited = false;
    }
}

void cc2420_frame_end(void)
{
    end_time = timer_now();
    end_delimiter = delimiter_time;
    ended = waiting = true;
    tell();
}

/* Of the frame in front, which has this length. */
static void note_time(struct radio_message *m, uint8_t length)
{
    cpu_state saved = atomic_begin();
    uint16_t expected = TICKS_OF_US((1 + (uint32_t)length) * RADIO_CHIP_BYTE);
    m->timed = ended && (uint32_t)(end_time - end_delimiter - expected + TOLERANCE) <= 2 * TOLERANCE;
    m->time = m->timed ? end_delimiter : delimiter_time;
    ended = false;
    atomic_end(saved);
}

uint32_t radio_chip_sent_time(void)
{
    return sent_time; /* it does not change between two frames */
}

/* ---- */

static void set_ram16(uint16_t address, uint16_t value)
{
    const uint8_t low_first[] = {value & 0xff, value >> 8};
    set_ram(address, low_first, sizeof low_first);
}

void radio_chip_start(uint8_t channel, void (*event)(void))
{
    tell = event;
    spi_start();
    cc2420_pins_start();
    cc2420_listens(true);
    cc2420_regulator(true);
    wait_ticks(TICKS_PER_SECOND * 6 / 10000); /* the regulator starts in 0.6 ms */
    cc2420_reset(true);
    wait_ticks(1);
    cc2420_reset(false);
    strobe(SXOSCON);
    while (!(chip_status() & STATUS_XOSC))
        ;
    set_register(MDMCTRL0,
                 0x0af2); /* address recognition, CCA by carrier and energy, automatic CRC and acknowledgement */
    set_register(MDMCTRL1, 0x0500); /* these three: values the datasheet asks for */
    set_register(RXCTRL1, 0x2a56);
    set_register(SECCTRL0, 0x01c4);
    set_register(IOCFG0, 0x007f); /* FIFOP says that a whole frame is there */
    set_register(FSCTRL, 0x4000 | (357 + 5 * (channel - 11)));
    set_ram16(RAM_PANID, RADIO_NETWORK);
    set_ram16(RAM_SHORTADR, node_id);
    strobe(SRXON);
}

void radio_chip_off(void)
{
    strobe(SRFOFF);
    cc2420_listens(false);
}

void radio_chip_on(void)
{
    cc2420_listens(true);
    strobe(SRXON);
}

bool radio_chip_busy(void)
{
    return !cc2420_clear();
}

bool radio_chip_receiving(void)
{
    return cc2420_sfd();
}

static uint8_t stamp_at; /* in the transmit buffer; 0: none */

void radio_chip_load(const uint8_t header[RADIO_HEADER], const struct radio_packet *p)
{
    strobe(SFLUSHTX);
    cc2420_select(true);
    spi_send(TXFIFO);
    spi_send(RADIO_HEADER + p->length + 2);
    for (uint8_t i = 0; i < RADIO_HEADER; i++)
        spi_send(header[i]);
    for (uint8_t i = 0; i < p->length; i++)
        spi_send(p->data[i]);
    cc2420_select(false);
    stamp_at = p->stamp ? 1 + RADIO_HEADER + p->length - RADIO_STAMP : 0;
}

static bool sending(void)
{
    return chip_status() & STATUS_TX_ACTIVE;
}

static void stamp(void)
{
    uint8_t bytes[RADIO_STAMP];
    while (sent_awaited)
        if (!sending())
            return;
    bytes_put32(bytes, sent_time);
    set_ram(RAM_TXFIFO + stamp_at, bytes, sizeof bytes);
}

/* Other delimiters may come before the frame's own, and its handler costs time. */
static void watch(bool on)
{
    if (watching != on)
        cc2420_watch(on);
    watching = on;
}

bool radio_chip_send(bool timed)
{
    sent_awaited = false;
    if (!cc2420_clear()) /* as it also is while that is not known yet */
        return false;
    watch(timed);
    sent_awaited = timed;
    strobe(STXONCCA);
    if (stamp_at)
        stamp();
    return true;
}

enum radio_chip_progress radio_chip_progress(void)
{
    watch(true);
    if (sent_awaited)
        return sending() ? RADIO_CHIP_SENDING : RADIO_CHIP_CHANNEL_BUSY; /* another node began just before the strobe */
    return cc2420_sfd() ? RADIO_CHIP_SENDING : RADIO_CHIP_GONE;          /* or already receives */
}

/* Twice, as the datasheet asks (14.1). */
static void flush_received(void)
{
    strobe(SFLUSHRX);
    strobe(SFLUSHRX);
}

/* The frame's bytes; those of an unwanted frame are skipped. */
static bool fetch(uint8_t frame[127], uint8_t length)
{
    bool wanted = true;
    for (uint8_t i = 0; i < length; i++) {
        if (i == RADIO_HEADER)
            wanted = radio_wants(frame);
        if (wanted)
            frame[i] = spi_exchange(0);
        else
            spi_send(0);
    }
    cc2420_select(false);
    return wanted;
}

uint8_t radio_chip_receive(uint8_t frame[127], struct radio_message *m)
{
    while (waiting) {
        waiting = false;
        if (!cc2420_frame_there())
            continue;
        waiting = true;
        if (!cc2420_fifo()) { /* FIFOP without FIFO: the buffer has overflowed */
            flush_received();
            continue;
        }
        cc2420_select(true);
        spi_send(RXFIFO | READ);
        uint8_t length = spi_exchange(0);
        if (length < 5 || length > 127) {
            cc2420_select(false);
            flush_received();
            continue;
        }
        if (!fetch(frame, length))
            continue;
        note_time(m, length);
        m->rssi = frame[length - 2];
        m->lqi = frame[length - 1] & 0x7f;
        if (frame[length - 1] & 0x80) /* the checksum was right */
            return length - 2;
    }
    return 0;
}
