/* A bare driver of the AT86RF230 on IRIS, in its extended modes. */
#ifndef TESTS_RADIO_AT86RF230_DRIVER_H
#define TESTS_RADIO_AT86RF230_DRIVER_H

#include <avr/io.h>
#include <stdint.h>
#include <util/delay.h>

enum {
    TRX_STATUS = 1,
    TRX_STATE = 2,
    PHY_TX_PWR = 5,
    PHY_CC_CCA = 8,
    IRQ_STATUS = 15,
    SHORT_ADDR_0 = 32,
    PAN_ID_0 = 34
};
enum { TX_START = 2, TRX_OFF = 8, PLL_ON = 9, RX_AACK_ON = 0x16, TX_ARET_ON = 0x19, TRX_END = 8 };

static inline uint8_t spi(uint8_t byte)
{
    SPDR = byte;
    while (!(SPSR & _BV(SPIF)))
        ;
    return SPDR;
}

static inline uint8_t get(uint8_t address)
{
    PORTB &= ~_BV(0);
    spi(0x80 | address);
    uint8_t value = spi(0);
    PORTB |= _BV(0);
    return value;
}

static inline void set(uint8_t address, uint8_t value)
{
    PORTB &= ~_BV(0);
    spi(0xc0 | address);
    spi(value);
    PORTB |= _BV(0);
}

static inline void go(uint8_t state)
{
    set(TRX_STATE, state);
    while ((get(TRX_STATUS) & 0x1f) != state)
        ;
}

static inline uint8_t irq(void)
{
    return PIND & _BV(4);
}

static inline void wait_for(uint8_t interrupt)
{
    do {
        while (!irq())
            ;
    } while (!(get(IRQ_STATUS) & interrupt));
}

static inline void radio_start(uint8_t address)
{
    PORTB |= _BV(0);
    DDRB |= _BV(0) | _BV(1) | _BV(2) | _BV(7);
    PORTA |= _BV(6);
    DDRA |= _BV(6);
    SPCR = _BV(SPE) | _BV(MSTR);
    SPSR = _BV(SPI2X);
    PORTA &= ~_BV(6);
    _delay_us(6);
    PORTA |= _BV(6);
    _delay_us(600);
    go(TRX_OFF);
    set(PHY_CC_CCA, 0x20 | 26);
    set(PHY_TX_PWR, 0x80); /* with the check sequence, at 3 dBm */
    set(SHORT_ADDR_0, address);
    set(SHORT_ADDR_0 + 1, 0);
    set(PAN_ID_0, 0x22);
    set(PAN_ID_0 + 1, 0);
    go(PLL_ON);
    get(IRQ_STATUS);
}

#endif
