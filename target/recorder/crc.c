#include "crc.h"

/* Without loops of shifts. */
#ifdef __AVR__
PRIVATE SMALL uint16_t crc16(uint16_t crc, uint8_t byte)
{
    uint8_t x = (uint8_t)(crc >> 8) ^ byte, high = (uint8_t)crc;
    x ^= x >> 4;
    high ^= (uint8_t)(x << 4) ^ x >> 3;
    return (uint16_t)(high << 8 | (uint8_t)((uint8_t)(x << 5) ^ x));
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

/* Without calls: interrupts may be off. */
#ifdef __AVR__
/* With x the byte and the high one, and a half of it on the other: rotated by 5 it is x << 5 | x >> 3. */
PRIVATE SMALL uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count)
{
    uint8_t low = (uint8_t)crc, high = (uint8_t)(crc >> 8), x, y;
    __asm__(
        "rjmp 2f\n1:\tld %3, %a2+\n\teor %3, %1\n\tmov %1, %3\n\tswap %1\n\tandi %1, 0x0f\n\teor %3, %1\n\t"
        "mov %1, %3\n\tswap %1\n\tmov %4, %1\n\tandi %1, 0xf0\n\teor %1, %0\n\tlsl %4\n\tadc %4, __zero_reg__\n\t"
        "mov %0, %4\n\tandi %0, 0x1f\n\teor %1, %0\n\tandi %4, 0xe0\n\teor %4, %3\n\tmov %0, %4\n2:\tsbiw %A5, 1\n\t"
        "brcc 1b"
        : "+&d"(low), "+&d"(high), "+&e"(at), "=&d"(x), "=&d"(y), "+&w"(count)::"cc", "memory");
    return (uint16_t)(high << 8 | low);
}
#else
uint16_t crc16_all(uint16_t crc, const uint8_t *at, uint16_t count)
{
    uint16_t part, high;
    __asm__("jmp 2f\n1:\tmov.b @%1+, %3\n\tswpb %0\n\txor %3, %0\n\tmov.b %0, %3\n\trra %3\n\trra %3\n\trra "
            "%3\n\trra %3\n\txor %3, %0\n\tmov.b %0, %3\n\trla %3\n\trla %3\n\trla %3\n\trla %3\n\tmov.b %3, "
            "%4\n\tswpb %4\n\txor %4, %0\n\trla %3\n\txor %3, %0\n2:\tdec %2\n\tjge 1b"
            : "+&r"(crc), "+&r"(at), "+&r"(count), "=&r"(part), "=&r"(high)::"cc", "memory");
    return crc;
}
#endif
