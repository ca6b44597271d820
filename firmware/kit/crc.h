/* CRC-16 with the polynomial x^16 + x^12 + x^5 + 1, highest bit first, from 0 (CCITT, as XMODEM uses it). */
#ifndef KIT_CRC_H
#define KIT_CRC_H

#include <stdint.h>

static inline uint16_t crc_byte(uint16_t crc, uint8_t byte)
{
    crc = (uint16_t)(crc >> 8 | crc << 8) ^ byte;
    crc ^= (crc & 0xff) >> 4;
    crc ^= (uint16_t)(crc << 12);
    crc ^= (uint16_t)((crc & 0xff) << 5);
    return crc;
}

#endif
