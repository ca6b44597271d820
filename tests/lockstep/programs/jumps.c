/* Jumps the compiler does not see through: setjmp, tables of a switch, pointers to functions. */
#include <setjmp.h>
#include <stdint.h>

static jmp_buf place;
static volatile uint8_t unwound;

static __attribute__((noinline)) void descend(uint8_t depth)
{
    volatile uint8_t frame[8] = {depth};
    if (depth == 0)
        longjmp(place, 7);
    descend((uint8_t)(frame[0] - 1));
    unwound = 0;
}

static __attribute__((noinline)) uint16_t choose(uint8_t which, uint16_t x)
{
    switch (which) {
    case 0: return x + 11;
    case 1: return x * 3;
    case 2: return x ^ 0x55aa;
    case 3: return x << 3;
    case 4: return x / 7;
    case 5: return x % 9;
    case 6: return (uint16_t)-x;
    case 7: return ~x;
    case 8: return (uint16_t)(x >> 5 | x << 11);
    default: return 0;
    }
}

static uint16_t add(uint16_t a, uint16_t b)
{
    return a + b;
}

static uint16_t subtract(uint16_t a, uint16_t b)
{
    return a - b;
}

static uint16_t multiply(uint16_t a, uint16_t b)
{
    return a * b;
}

static uint16_t (*const volatile operations[])(uint16_t, uint16_t) = {add, subtract, multiply};

int main(void)
{
    volatile uint8_t tries = 0;
    unwound = 1;
    int came_back = setjmp(place);
    if (tries++ < 3)
        descend((uint8_t)(tries * 2));
    if (came_back != 7 || !unwound)
        return 1;
    uint16_t x = 1000;
    for (uint8_t i = 0; i < 27; i++)
        x = choose(i % 9, x) + i;
    uint16_t y = x;
    for (uint8_t i = 0; i < 30; i++)
        y = operations[i % 3](y, (uint16_t)(i + 3));
    return x != 0 && y != x ? 0 : 2;
}
