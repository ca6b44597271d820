/* CRC-16 of CCITT (polynomial 0x1021, from 0, not reflected), as target/recorder computes it. */
#ifndef RECORD_CRC_H
#define RECORD_CRC_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t crc16(uint16_t crc, const uint8_t *bytes, size_t count)
{
    while (count--) {
        crc ^= (uint16_t)(*bytes++ << 8);
        for (int bit = 0; bit < 8; bit++)
            crc = (uint16_t)(crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1);
    }
    return crc;
}

#endif
