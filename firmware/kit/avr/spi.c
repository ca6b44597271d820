#include "spi.h"

#include <avr/io.h>

struct resource spi_bus;

/* Master, mode 0, half the CPU's clock. PB0 (SS) is an output and the radio's chip select, PB1 the clock, PB2 data out.
 */
void spi_start(void)
{
    PORTB |= 1 << PB0;
    DDRB |= 1 << PB0 | 1 << PB1 | 1 << PB2;
    SPSR = 1 << SPI2X;
    SPCR = 1 << SPE | 1 << MSTR;
}

uint8_t spi_exchange(uint8_t out)
{
    SPDR = out;
    while (!(SPSR & 1 << SPIF))
        ;
    return SPDR;
}

void spi_send(uint8_t out)
{
    SPDR = out;
    while (!(SPSR & 1 << SPIF))
        ;
}
