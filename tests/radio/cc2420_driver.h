/* A bare driver of the CC2420 on MICAz: everything by polling, as little as it takes. */
#ifndef TESTS_RADIO_CC2420_DRIVER_H
#define TESTS_RADIO_CC2420_DRIVER_H

#include <avr/io.h>
#include <stdint.h>
#include <util/delay.h>

enum { SNOP = 0, SXOSCON = 1, SRXON = 3, STXON = 4, STXONCCA = 5, SFLUSHRX = 8, SFLUSHTX = 9 };
enum { MDMCTRL0 = 0x11, FSCTRL = 0x18, IOCFG0 = 0x1c, TXFIFO = 0x3e, RXFIFO = 0x3f };
enum { RAM_PANID = 0x168 };

static inline uint8_t spi(uint8_t byte)
{
    SPDR = byte;
    while (!(SPSR & _BV(SPIF)))
        ;
    return SPDR;
}

static inline void select(void)
{
    PORTB &= ~_BV(0);
}

static inline void deselect(void)
{
    PORTB |= _BV(0);
}

static inline uint8_t strobe(uint8_t what)
{
    select();
    uint8_t status = spi(what);
    deselect();
    return status;
}

static inline void set(uint8_t address, uint16_t value)
{
    select();
    spi(address);
    spi(value >> 8);
    spi(value);
    deselect();
}

static inline void write_ram(uint16_t at, const uint8_t *bytes, uint8_t count)
{
    select();
    spi(0x80 | (at & 0x7f));
    spi((at >> 7) << 6);
    while (count--)
        spi(*bytes++);
    deselect();
}

static inline uint8_t sfd(void)
{
    return PIND & _BV(4);
}

static inline uint8_t fifop(void)
{
    return PINE & _BV(6);
}

static inline uint8_t fifo(void)
{
    return PINB & _BV(7);
}

/* Up to reception on channel 26, known as `address` in PAN 0x22, acknowledging. */
static inline void radio_start(uint16_t address)
{
    uint8_t names[4] = {0x22, 0x00, address, address >> 8};
    DDRB = _BV(0) | _BV(1) | _BV(2);
    DDRA = _BV(5) | _BV(6);
    deselect();
    SPCR = _BV(SPE) | _BV(MSTR);
    SPSR = _BV(SPI2X);
    PORTA |= _BV(5);
    _delay_ms(1);
    PORTA |= _BV(6);
    strobe(SXOSCON);
    while (!(strobe(SNOP) & 0x40))
        ;
    set(MDMCTRL0, 0x0af2);
    set(FSCTRL, 0x4000 | (357 + 5 * 15));
    set(IOCFG0, 127);
    write_ram(RAM_PANID, names, 4);
    strobe(SRXON);
}

static inline void radio_send(const uint8_t *frame, uint8_t count)
{
    select();
    spi(TXFIFO);
    while (count--)
        spi(*frame++);
    deselect();
    while (!(strobe(STXONCCA) & 0x08) && !(strobe(SNOP) & 0x08))
        ;
    while (!sfd())
        ;
    while (sfd())
        ;
}

/* The frame that FIFOP announced, without its length; returns the length. */
static inline uint8_t radio_receive(uint8_t *frame)
{
    select();
    spi(RXFIFO | 0x40);
    uint8_t length = spi(0) & 0x7f;
    for (uint8_t i = 0; i < length; i++)
        frame[i] = spi(0);
    deselect();
    return length;
}

#endif
