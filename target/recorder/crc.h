/* CRC-16 of CCITT without a table. src/record/crc.h has the same for the host. */
#ifndef CRC_H
#define CRC_H

#include <stdint.h>

#include "config.h"

/* Of one byte: for the logger of interfaces, which sends each as it is made. */
PRIVATE SMALL uint16_t crc16(uint16_t crc, uint8_t byte);

/* Of so many. */
#if defined LEAN && defined __MSP430__ /* assembly calls it */
uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count) __asm__("motet_crc");
#else
PRIVATE SMALL uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count);
#endif

#endif
