/* AT45DB041 data flash on MICA2, MICAz and IRIS, by its own pins, or on a shield of an Arduino Uno or Mega, at the pins
 * of SPI, which are not used as such. A page is put together in one of the chip's two buffers, so that no copy of it is
 * needed here. Part of flash.h. */
#ifndef FLASH_AT45DB_H
#define FLASH_AT45DB_H

#include <avr/io.h>
#include <stdint.h>

#include "config.h"

enum {
    PAGE_BYTES = 264,
    FLASH_ALL = 2048,
    FLASH_BUFFERS = 2,
    FLASH_SECTOR = 1 /* pages erased at once */
};
enum { PIECE = MOTET_PIECE };
enum { FLASH_PINS_SAVED = 2 * 6 };

#define flash_was_ready()      flash_ready()
#define flash_was_allowed(was) 0 /* it programs on command */
struct flash_pins {
    uint8_t select_direction, select, bus_direction, bus;
};

PRIVATE SMALL void flash_send(uint8_t byte);
PRIVATE SMALL void flash_send_all(const uint8_t *at, uint8_t count);

#endif
