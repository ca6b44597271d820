/* Atmel AT45DB041B, the serial data flash of MICA2, MICAz and IRIS (datasheet 3443).
 *
 * 2048 pages of 264 bytes and two buffers of a page each, over SPI that here is pins (the firmware moves them itself).
 * Programming and erasing begin when the chip is deselected and take milliseconds, during which only the status and the
 * buffer that is not concerned can be reached. Invariant: a page changes all at once, when its operation ends.
 */
#ifndef PART_AT45DB_H
#define PART_AT45DB_H

#include "node/device.h"

enum { AT45DB_PAGES = 2048, AT45DB_PAGE = 264 };

struct at45db_config {
    uint8_t cs, sck, si, so;
};

extern const struct device_type at45db_type;

#endif
