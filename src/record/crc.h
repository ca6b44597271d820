/* CRC-16 of CCITT (polynomial 0x1021, from 0, not reflected), as target/recorder computes it. */
#ifndef RECORD_CRC_H
#define RECORD_CRC_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t crc16(uint16_t crc, const uint8_t *bytes, size_t count)
{
    while (count--) { /* a byte at a time, as target/recorder/crc.c has it */
        crc = (uint16_t)((crc >> 8 | crc << 8) ^ *bytes++);
        crc ^= (uint8_t)crc >> 4;
        crc ^= (uint16_t)(crc << 12);
        crc ^= (uint16_t)((crc & 0xff) << 5);
    }
    return crc;
}

#endif
