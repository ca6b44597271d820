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

static inline uint8_t *bytes_put32(uint8_t *to, uint32_t value)
{
    return bytes_put16(bytes_put16(to, value >> 16), value & 0xffff);
}

static inline uint32_t bytes_get32(const uint8_t *from)
{
    return (uint32_t)bytes_get16(from) << 16 | bytes_get16(from + 2);
}

#endif
