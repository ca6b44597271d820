/* CRC-16 of CCITT, a byte at a time without a table. src/record/crc.h has the same for the host. */
#ifndef CRC_H
#define CRC_H

#include <stdint.h>

#include "config.h"

PRIVATE SMALL uint16_t crc16(uint16_t crc, uint8_t byte);

/* The same where there are many: without a call. */
#ifdef __AVR__
static inline __attribute__((always_inline)) uint16_t crc16_of(uint16_t crc, uint8_t byte)
{
    uint8_t x = (uint8_t)(crc >> 8) ^ byte, high = (uint8_t)crc;
    x ^= x >> 4;
    high ^= (uint8_t)(x << 4) ^ x >> 3;
    return (uint16_t)(high << 8 | (uint8_t)((uint8_t)(x << 5) ^ x));
}
#else
#define crc16_of crc16
#endif

/* Of so many. */
#if defined LEAN && defined __MSP430__ /* assembly calls it */
uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count) __asm__("motet_crc");
#else
PRIVATE SMALL uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count);
#endif

#endif
