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

#if defined __MSP430__ && defined LEAN /* without calls: interrupts are off */
PRIVATE SMALL uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count)
{
    uint16_t part, high;
    __asm__("jmp 2f\n1:\tmov.b @%1+, %3\n\tswpb %0\n\txor %3, %0\n\tmov.b %0, %3\n\trra %3\n\trra %3\n\trra "
            "%3\n\trra %3\n\txor %3, %0\n\tmov.b %0, %3\n\trla %3\n\trla %3\n\trla %3\n\trla %3\n\tmov.b %3, "
            "%4\n\tswpb %4\n\txor %4, %0\n\trla %3\n\txor %3, %0\n2:\tdec %2\n\tjge 1b"
            : "+&r"(crc), "+&r"(at), "+&r"(count), "=&r"(part), "=&r"(high)::"cc", "memory");
    return crc;
}
#else
PRIVATE SMALL uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count)
{
    for (; count; count--)
        crc = crc16_of(crc, *at++);
    return crc;
}
#endif
