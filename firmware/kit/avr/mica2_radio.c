/* The CC1000's three wires of configuration, PALE (PD4), PCLK (PD6) and PDATA (PD7), bit by bit; and the SPI as a slave
 * of its clock, which no other code uses. Data goes in at PB2 (MOSI) and out at PB3 (MISO), one line outside.
 */
#include "board.h"
#include "cc1000.h"
#include "spi.h"

enum { PALE = 1 << PD4, PCLK = 1 << PD6, PDATA = 1 << PD7, DATA_OUT = 1 << PB3 };

struct resource spi_bus;

ISR(SPI_STC_vect)
{
    SPDR = cc1000_exchange(SPDR);
}

static void clock_bits(uint8_t byte)
{
    for (uint8_t i = 0; i < 8; i++, byte <<= 1) {
        if (byte & 0x80)
            PORTD |= PDATA;
        else
            PORTD &= ~PDATA;
        PORTD &= ~PCLK; /* taken with this edge */
        PORTD |= PCLK;
    }
}

static void address(uint8_t byte)
{
    PORTD &= ~PALE;
    clock_bits(byte);
    PORTD |= PALE;
}

void cc1000_set(uint8_t which, uint8_t value)
{
    address(which << 1 | 1);
    clock_bits(value);
}

uint8_t cc1000_get(uint8_t which)
{
    uint8_t value = 0;
    address(which << 1);
    DDRD &= ~PDATA;
    for (uint8_t i = 0; i < 8; i++) {
        PORTD &= ~PCLK;
        value = value << 1 | !!(PIND & PDATA);
        PORTD |= PCLK;
    }
    DDRD |= PDATA;
    return value;
}

void cc1000_pins_start(void)
{
    PORTD |= PALE | PCLK;
    DDRD |= PALE | PCLK | PDATA;
}

void cc1000_spi_start(void)
{
    SPCR = 1 << SPE | 1 << SPIE;
}

void cc1000_data_out(bool out)
{
    if (out)
        DDRB |= DATA_OUT;
    else
        DDRB &= ~DATA_OUT;
}

void cc1000_first(uint8_t byte)
{
    SPDR = byte;
}
