/* Deep calls, direct and through pointers, with arguments in registers and on the stack. */
#include <stdint.h>

static uint16_t ackermann(uint16_t m, uint16_t n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static __attribute__((noinline)) uint8_t hanoi(uint8_t n, uint8_t from, uint8_t to, uint8_t via)
{
    return n == 0 ? 0 : (uint8_t)(hanoi((uint8_t)(n - 1), from, via, to) + 1 + hanoi((uint8_t)(n - 1), via, to, from));
}

/* Eighteen bytes go in registers, the rest on the stack. */
static __attribute__((noinline)) uint32_t many(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e,
                                               uint8_t depth)
{
    return depth == 0 ? a + 2 * b + 3 * c + 4 * d + 5 * e : many(b, c, d, e, a, (uint8_t)(depth - 1));
}

static uint16_t even(uint16_t n);
static uint16_t odd(uint16_t n);
static uint16_t (*volatile parity[2])(uint16_t) = {even, odd};

static uint16_t even(uint16_t n)
{
    return n == 0 ? 1 : parity[1](n - 1);
}

static uint16_t odd(uint16_t n)
{
    return n == 0 ? 0 : parity[0](n - 1);
}

int main(void)
{
    if (ackermann(2, 9) != 21)
        return 1;
    if (hanoi(7, 1, 3, 2) != 127)
        return 2;
    if (many(1, 2, 3, 4, 5, 10) != 55)
        return 3;
    return even(40) == 1 && odd(40) == 0 ? 0 : 4;
}
