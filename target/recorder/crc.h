/* CRC-16 of CCITT, a byte at a time without a table. src/record/crc.h has the same for the host. */
#ifndef CRC_H
#define CRC_H

#include <stdint.h>

#include "config.h"

PRIVATE SMALL uint16_t crc16(uint16_t crc, uint8_t byte);

#endif
