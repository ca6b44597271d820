/* CRC-16 of CCITT, of so many bytes, without a table. src/record/crc.h has the same for the host. */
#ifndef CRC_H
#define CRC_H

#include <stdint.h>

#include "config.h"

#if defined LEAN && defined __MSP430__ /* assembly calls it */
uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count) __asm__("motet_crc");
#else
PRIVATE SMALL uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count);
#endif

#endif
