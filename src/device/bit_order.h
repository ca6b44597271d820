/* Bit order: a byte sent least significant bit first, as one that expects the most significant first sees it. */
#ifndef DEVICE_BIT_ORDER_H
#define DEVICE_BIT_ORDER_H

#include <stdint.h>

static inline uint8_t bit_order_reversed(uint8_t byte)
{
    unsigned b = byte;
    b = (b & 0x55) << 1 | (b & 0xaa) >> 1;
    b = (b & 0x33) << 2 | (b & 0xcc) >> 2;
    return (uint8_t)(b << 4 | b >> 4);
}

#endif
