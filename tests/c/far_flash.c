/* Data beyond the first 64 KB of flash, through ELPM and RAMPZ, also across the border between two 64 KB pieces. */
#include <avr/pgmspace.h>
#include <string.h>

#include "check.h"

/* The linker places this section so that the table crosses a border (CMakeLists.txt). */
__attribute__((section(".farconst"), used)) static const uint8_t table[256] = {
#define FOUR(N)    (N), (N) + 1, (N) + 2, (N) + 3
#define SIXTEEN(N) FOUR(N), FOUR((N) + 4), FOUR((N) + 8), FOUR((N) + 12)
    SIXTEEN(0),   SIXTEEN(16),  SIXTEEN(32),  SIXTEEN(48),  SIXTEEN(64),  SIXTEEN(80),  SIXTEEN(96),  SIXTEEN(112),
    SIXTEEN(128), SIXTEEN(144), SIXTEEN(160), SIXTEEN(176), SIXTEEN(192), SIXTEEN(208), SIXTEEN(224), SIXTEEN(240),
};

static distinct uint8_t through_memx(const __memx uint8_t *p)
{
    return *p;
}

int main(void)
{
    uint_farptr_t at = pgm_get_far_address(table);
    check(at == FAR_ADDRESS);
    for (uint16_t i = 0; i < 256; i++)
        check(pgm_read_byte_far(at + i) == (uint8_t)i);
    for (uint16_t i = 0; i < 253; i++)
        check(pgm_read_dword_far(at + i) == (uint32_t)(i | (i + 1UL) << 8 | (i + 2UL) << 16 | (i + 3UL) << 24));
    check(pgm_read_word_far(at + 127) == 0x807f);
    uint8_t copy[256];
    memcpy_PF(copy, at, sizeof copy);
    for (uint16_t i = 0; i < 256; i++)
        check(copy[i] == (uint8_t)i);
    const __memx uint8_t *p = (const __memx uint8_t *)(__uint24)at;
    for (uint16_t i = 0; i < 256; i++)
        check(through_memx(p + i) == (uint8_t)i);
    copy[3] = 99;
    check(through_memx((const __memx uint8_t *)&copy[3]) == 99); /* the same pointer type reaches RAM */
    exit(0);
}
