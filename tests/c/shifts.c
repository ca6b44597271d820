/* Shifts and rotations of all widths by constant and variable counts. */
#include "check.h"

static uint32_t sum;

#define SHIFTS(NAME, UNSIGNED, SIGNED)                         \
    static distinct void NAME(UNSIGNED a, uint8_t by)          \
    {                                                          \
        const uint8_t width = sizeof(UNSIGNED) * 8;            \
        by %= width;                                           \
        UNSIGNED r[] = {                                       \
            (UNSIGNED)(a << by),                               \
            (UNSIGNED)(a >> by),                               \
            (UNSIGNED)((SIGNED)a >> by),                       \
            (UNSIGNED)(a << by | a >> ((width - by) % width)), \
            (UNSIGNED)(a << 1),                                \
            (UNSIGNED)(a >> 1),                                \
            (UNSIGNED)(a << 4),                                \
            (UNSIGNED)(a >> 4),                                \
            (UNSIGNED)((SIGNED)a >> 7),                        \
            (UNSIGNED)((SIGNED)a >> (sizeof a * 8 - 1)),       \
            (UNSIGNED)(a >> (sizeof a * 8 - 2)),               \
            (UNSIGNED)(a << (sizeof a * 8 - 3)),               \
        };                                                     \
        for (uint8_t i = 0; i < sizeof r / sizeof *r; i++) {   \
            check_mix(&sum, (uint32_t)r[i]);                   \
            check_mix(&sum, (uint32_t)((uint64_t)r[i] >> 32)); \
        }                                                      \
    }

SHIFTS(bytes, uint8_t, int8_t)
SHIFTS(words, uint16_t, int16_t)
SHIFTS(longs, uint32_t, int32_t)
SHIFTS(quads, uint64_t, int64_t)

int main(void)
{
    for (uint8_t by = 0; by < 64; by++) {
        uint64_t a = check_random64();
        bytes((uint8_t)a, by);
        words((uint16_t)a, by);
        longs((uint32_t)a, by);
        quads(a, by);
    }
    check(sum == 0x90d22197);
    check((uint16_t)(opaque((uint16_t)0x1234) << 8) == 0x3400);
    check((int16_t)opaque((int16_t)-32768) >> 15 == -1);
    check(opaque(0x12345678UL) >> 24 == 0x12);
    check(opaque((uint32_t)0x12345678) << 16 == 0x56780000UL);
    exit(0);
}
