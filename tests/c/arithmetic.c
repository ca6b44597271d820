/* All operators on all integer types, over random and extreme operands. */
#include "check.h"

static uint32_t sum;

#define OPERATORS(NAME, UNSIGNED, SIGNED)                                                                      \
    static distinct void NAME(UNSIGNED a, UNSIGNED b)                                                          \
    {                                                                                                          \
        SIGNED s = (SIGNED)a, t = (SIGNED)b;                                                                   \
        UNSIGNED r[] = {                                                                                       \
            (UNSIGNED)(a + b),                                                                                 \
            (UNSIGNED)(a - b),                                                                                 \
            (UNSIGNED)((uint64_t)a * b),                                                                       \
            (UNSIGNED)(a & b),                                                                                 \
            (UNSIGNED)(a | b),                                                                                 \
            (UNSIGNED)(a ^ b),                                                                                 \
            (UNSIGNED)~a,                                                                                      \
            (UNSIGNED)-a,                                                                                      \
            (UNSIGNED)(b ? a / b : 1),                                                                         \
            (UNSIGNED)(b ? a % b : 2),                                                                         \
            (UNSIGNED)(t && t != -1 ? s / t : 3),                                                              \
            (UNSIGNED)(t && t != -1 ? s % t : 4),                                                              \
            (UNSIGNED)((a < b) | (a <= b) << 1 | (s < t) << 2 | (s <= t) << 3 | (a == b) << 4 | (s > t) << 5), \
        };                                                                                                     \
        for (uint8_t i = 0; i < sizeof r / sizeof *r; i++) {                                                   \
            check_mix(&sum, (uint32_t)r[i]);                                                                   \
            check_mix(&sum, (uint32_t)((uint64_t)r[i] >> 32));                                                 \
        }                                                                                                      \
    }

OPERATORS(bytes, uint8_t, int8_t)
OPERATORS(words, uint16_t, int16_t)
OPERATORS(longs, uint32_t, int32_t)
OPERATORS(quads, uint64_t, int64_t)

static const uint64_t extremes[] = {0,
                                    1,
                                    2,
                                    0x7f,
                                    0x80,
                                    0xff,
                                    0x100,
                                    0x7fff,
                                    0x8000,
                                    0xffff,
                                    0x10000,
                                    0x7fffffff,
                                    0x80000000,
                                    0xffffffff,
                                    0x100000000,
                                    0x7fffffffffffffff,
                                    0x8000000000000000,
                                    0xffffffffffffffff};

static void all(uint64_t a, uint64_t b)
{
    bytes((uint8_t)a, (uint8_t)b);
    words((uint16_t)a, (uint16_t)b);
    longs((uint32_t)a, (uint32_t)b);
    quads(a, b);
}

int main(void)
{
    for (uint8_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        for (uint8_t j = 0; j < sizeof extremes / sizeof *extremes; j++)
            all(extremes[i], extremes[j]);
    check(sum == 0xe1c55a8a);
    for (uint8_t i = 0; i < 100; i++) {
        uint64_t a = check_random64(), b = check_random();
        all(a, b >> (i & 31));
    }
    check(sum == 0xc49038f0);
    exit(0);
}
