#include "cc2420.h"

#include "board.h"
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
enum { RAM_PANID = 0x168, RAM_SHORTADR = 0x16a };
enum { STATUS_XOSC = 1 << 6, STATUS_TX_ACTIVE = 1 << 3, STATUS_RSSI_VALID = 1 << 1 };

static uint8_t strobe(uint8_t which)
{
    cc2420_select(true);
    uint8_t status = spi_exchange(which);
    cc2420_select(false);
    return status;
}

static void set_register(uint8_t which, uint16_t value)
{
    cc2420_select(true);
    spi_exchange(which);
    spi_exchange(value >> 8);
    spi_exchange(value & 0xff);
    cc2420_select(false);
}

/* RAM has the low byte first. */
static void set_ram(uint16_t address, uint16_t value)
{
    cc2420_select(true);
    spi_exchange(0x80 | (address & 0x7f));
    spi_exchange(address >> 1 & 0xc0);
    spi_exchange(value & 0xff);
    spi_exchange(value >> 8);
    cc2420_select(false);
}

static void wait_ticks(uint32_t ticks)
{
    uint32_t end = timer_now() + ticks + 1;
    while (!timer_reached(timer_now(), end))
        ;
}

void cc2420_start(uint8_t channel, uint16_t network, uint16_t address, void (*event)(void))
{
    spi_start();
    cc2420_pins_start(event);
    cc2420_regulator(true);
    wait_ticks(TICKS_PER_SECOND * 6 / 10000); /* the regulator starts in 0.6 ms */
    cc2420_reset(true);
    wait_ticks(1);
    cc2420_reset(false);
    strobe(SXOSCON);
    while (!(strobe(SNOP) & STATUS_XOSC))
        ;
    set_register(MDMCTRL0,
                 0x0af2); /* address recognition, CCA by carrier and energy, automatic CRC and acknowledgement */
    set_register(MDMCTRL1, 0x0500); /* these three: values the datasheet asks for */
    set_register(RXCTRL1, 0x2a56);
    set_register(SECCTRL0, 0x01c4);
    set_register(IOCFG0, 0x007f); /* FIFOP says that a whole frame is there */
    set_register(FSCTRL, 0x4000 | (357 + 5 * (channel - 11)));
    set_ram(RAM_PANID, network);
    set_ram(RAM_SHORTADR, address);
    strobe(SRXON);
}

void cc2420_off(void)
{
    strobe(SRFOFF);
}

void cc2420_on(void)
{
    strobe(SRXON);
}

bool cc2420_busy(void)
{
    return strobe(SNOP) & STATUS_RSSI_VALID && !cc2420_clear();
}

void cc2420_load_begin(uint8_t length)
{
    strobe(SFLUSHTX);
    cc2420_select(true);
    spi_exchange(TXFIFO);
    spi_exchange(length);
}

void cc2420_load(const uint8_t *bytes, uint8_t count)
{
    while (count--)
        spi_exchange(*bytes++);
}

void cc2420_load_end(void)
{
    cc2420_select(false);
}

bool cc2420_sending(void)
{
    return strobe(SNOP) & STATUS_TX_ACTIVE;
}

bool cc2420_send(void)
{
    if (!(strobe(SNOP) & STATUS_RSSI_VALID) || !cc2420_clear())
        return false;
    strobe(STXONCCA);
    return cc2420_sending();
}

/* Twice, as the datasheet asks (14.1). */
static void flush_received(void)
{
    strobe(SFLUSHRX);
    strobe(SFLUSHRX);
}

uint8_t cc2420_receive(uint8_t frame[127])
{
    while (cc2420_frame_there()) {
        if (!cc2420_fifo()) { /* FIFOP without FIFO: the buffer has overflowed */
            flush_received();
            continue;
        }
        cc2420_select(true);
        spi_exchange(RXFIFO | READ);
        uint8_t length = spi_exchange(0);
        if (length < 5 || length > 127) {
            cc2420_select(false);
            flush_received();
            continue;
        }
        for (uint8_t i = 0; i < length; i++)
            frame[i] = spi_exchange(0);
        cc2420_select(false);
        if (frame[length - 1] & 0x80) /* the checksum was right */
            return length - 2;
    }
    return 0;
}
