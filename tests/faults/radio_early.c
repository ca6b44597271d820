/* A MICAz that starts its CC2420 170 us after VREG_EN, as images for real nodes do: it works, beyond the datasheet. */
#include <avr/io.h>
#include <util/delay.h>

#include "motet.h"

static uint8_t exchange(uint8_t byte)
{
    SPDR = byte;
    while (!(SPSR & 1 << SPIF))
        ;
    return SPDR;
}

static __attribute__((noinline)) uint8_t strobe(uint8_t which)
{
    PORTB &= (uint8_t) ~(1 << PB0);
    uint8_t status = exchange(which);
    PORTB |= 1 << PB0;
    return status;
}

int main(void)
{
    enum { SNOP = 0, SXOSCON = 1, XOSC_STABLE = 0x40 };
    DDRB = 1 << PB0 | 1 << PB1 | 1 << PB2;
    PORTB = 1 << PB0;
    DDRA = 1 << PA5 | 1 << PA6;
    SPCR = 1 << SPE | 1 << MSTR;
    PORTA = 1 << PA5 | 1 << PA6;
    _delay_us(170);
    strobe(SXOSCON);
    _delay_ms(1);
    motet_exit(strobe(SNOP) & XOSC_STABLE ? 0 : 1);
}
