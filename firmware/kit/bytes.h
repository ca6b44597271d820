/* Numbers in messages: the high byte first. */
#ifndef KIT_BYTES_H
#define KIT_BYTES_H

#include <stdint.h>

static inline uint8_t *bytes_put16(uint8_t *to, uint16_t value)
{
    to[0] = value >> 8;
    to[1] = value & 0xff;
    return to + 2;
}

static inline uint16_t bytes_get16(const uint8_t *from)
{
    return (uint16_t)(from[0] << 8 | from[1]);
}

#endif
