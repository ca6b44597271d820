/* Arrays of variable length, alloca, large frames and many arguments. */
#include <alloca.h>
#include <string.h>

#include "check.h"

static distinct uint16_t variable(uint8_t n)
{
    uint16_t squares[n];
    for (uint8_t i = 0; i < n; i++)
        squares[i] = i * i;
    uint16_t sum = 0;
    for (uint8_t i = n; i-- > 0;)
        sum += squares[i];
    return n > 1 ? sum + variable(n - 1) : sum;
}

static distinct uint8_t copied(const char *text)
{
    char *copy = alloca(strlen(text) + 1);
    strcpy(copy, text);
    return copy[strlen(copy) - 1];
}

static distinct uint32_t many(uint8_t a, uint16_t b, uint32_t c, uint64_t d, uint8_t e, uint16_t f, uint32_t g,
                              uint64_t h, uint8_t i, uint16_t j)
{
    return a + b * 2UL + c * 3 + (uint32_t)d * 4 + e * 5UL + f * 6UL + g * 7 + (uint32_t)h * 8 + i * 9UL + j * 10UL;
}

static distinct uint16_t large(uint8_t seed)
{
    uint8_t frame[300];
    for (uint16_t i = 0; i < sizeof frame; i++)
        frame[i] = seed + i;
    uint16_t sum = 0;
    for (uint16_t i = 0; i < sizeof frame; i += 7)
        sum += opaque(frame[i]);
    return sum;
}

int main(void)
{
    check(variable(opaque(12)) == 1716 + 0);
    check(copied(opaque("quintet")) == 't');
    check(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 1 + 4 + 9 + 16 + 25 + 36 + 49 + 64 + 81 + 100);
    uint16_t expected = 0;
    for (uint16_t i = 0; i < 300; i += 7)
        expected += (uint8_t)(11 + i);
    check(large(opaque(11)) == expected);
    exit(0);
}
