/* The AVR SPI: master and slave, a byte at a time.
 *
 * As master, a byte written to SPDR is exchanged with the parts on the bus (spi_exchange) when its eight clocks are
 * over; as slave, the device is a part of the bus itself: a call of spi_exchange on it clocks a byte through the shift
 * register if SS is low. Parts see bytes as they are on the wire, most significant bit first; a chip that sends the
 * least significant bit first exchanges them turned round. Clock polarity and phase show only in the idle level of SCK.
 * Invariant: SPDR's byte is what the firmware would read, the receive buffer.
 */
#ifndef DEVICE_AVR_SPI_H
#define DEVICE_AVR_SPI_H

#include "device/avr/interrupt.h"
#include "node/device.h"

struct spi_config {
    uint16_t spcr, spsr, spdr;
    struct avr_interrupt interrupt;
    uint8_t ss, sck, mosi, miso;
    uint8_t bus;
    struct bits power_reduction;
};

enum spi_spcr { SPI_SPR, SPI_CPHA = 2, SPI_CPOL, SPI_MSTR, SPI_DORD, SPI_SPE, SPI_SPIE };
enum spi_spsr { SPI_SPI2X, SPI_WCOL = 6, SPI_SPIF };

/* For chip tables. */
#define SPI_REGISTERS(vector_)                \
    .spcr = SPCR, .spsr = SPSR, .spdr = SPDR, \
    .interrupt = {.vector = (vector_), .enable = BIT(SPCR, SPI_SPIE), .flag = BIT(SPSR, SPI_SPIF)}

extern const struct device_type spi_type;

#endif
