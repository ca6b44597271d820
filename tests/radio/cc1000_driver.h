/* A bare driver of the CC1000 on MICA2: 38.4 kBaud in Manchester code, a byte whenever the radio has clocked one. */
#ifndef TESTS_RADIO_CC1000_DRIVER_H
#define TESTS_RADIO_CC1000_DRIVER_H

#include <avr/io.h>
#include <stdint.h>
#include <util/delay.h>

enum { MAIN = 0, FREQ_2A = 1, PA_POW = 11, PLL = 12, CAL = 14, MODEM0 = 17 };
enum { RECEIVE = 0x11, TRANSMIT = 0xe1 };

static inline void clock_bits(uint8_t byte)
{
    for (uint8_t i = 0; i < 8; i++, byte <<= 1) {
        if (byte & 0x80)
            PORTD |= _BV(7);
        else
            PORTD &= ~_BV(7);
        PORTD &= ~_BV(6);
        PORTD |= _BV(6);
    }
}

static inline void set(uint8_t address, uint8_t value)
{
    PORTD &= ~_BV(4);
    clock_bits(address << 1 | 1);
    PORTD |= _BV(4);
    clock_bits(value);
}

static inline uint8_t get(uint8_t address)
{
    uint8_t value = 0;
    PORTD &= ~_BV(4);
    clock_bits(address << 1);
    DDRD &= ~_BV(7);
    PORTD |= _BV(4);
    for (uint8_t i = 0; i < 8; i++) {
        PORTD &= ~_BV(6);
        value = value << 1 | !!(PIND & _BV(7));
        PORTD |= _BV(6);
    }
    DDRD |= _BV(7);
    return value;
}

static inline void radio_start(void)
{
    static const uint8_t frequencies[] = {0x7c, 0x00, 0x00, 0x7b, 0xf9, 0xae, 0x02, 0x38};
    PORTD |= _BV(4) | _BV(6);
    DDRD |= _BV(4) | _BV(6) | _BV(7);
    set(MAIN, 0x3a);
    set(MAIN, 0x3b);
    for (uint8_t i = 0; i < sizeof frequencies; i++)
        set(FREQ_2A + i, frequencies[i]);
    set(PLL, 8 << 3);
    set(MODEM0, 0x55);
    set(PA_POW, 0x60);
    set(MAIN, RECEIVE);
    set(CAL, 0xa6);
    while (!(get(CAL) & 8))
        ;
    set(CAL, 0x26);
    SPCR = _BV(SPE); /* a slave of the radio's clock */
}

static inline uint8_t next_byte(uint8_t out)
{
    while (!(SPSR & _BV(SPIF)))
        ;
    uint8_t in = SPDR;
    SPDR = out;
    return in;
}

#endif
