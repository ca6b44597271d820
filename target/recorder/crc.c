#include "crc.h"

#ifdef __AVR__
PRIVATE SMALL uint16_t crc16(uint16_t crc, uint8_t byte)
{
    return crc16_of(crc, byte); /* without loops of shifts */
}
#else
PRIVATE SMALL uint16_t crc16(uint16_t crc, uint8_t byte)
{
    uint16_t part = byte, high;
    __asm__("swpb %0\n\txor %1, %0\n\tmov.b %0, %1\n\trra %1\n\trra %1\n\trra %1\n\trra %1\n\txor %1, %0\n\t"
            "mov.b %0, %1\n\trla %1\n\trla %1\n\trla %1\n\trla %1\n\tmov.b %1, %2\n\tswpb %2\n\txor %2, %0\n\t"
            "rla %1\n\txor %1, %0"
            : "+&r"(crc), "+&r"(part), "=&r"(high)::"cc");
    return crc;
}
#endif

PRIVATE SMALL uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count)
{
    for (; count; count--)
        crc = crc16_of(crc, *at++);
    return crc;
}
