/* The SPI bus that radio and flash share, byte by byte.
 *
 * Invariant: code that has selected a chip on the bus owns spi_bus, and releases the chip before the bus.
 */
#ifndef KIT_SPI_H
#define KIT_SPI_H

#include <stdint.h>

#include "resource.h"

extern struct resource spi_bus;

void spi_start(void);
uint8_t spi_exchange(uint8_t out);
void spi_send(uint8_t out); /* what comes in is dropped */

#endif
