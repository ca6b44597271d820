/* Recursion of several shapes. */
#include "check.h"

static distinct uint16_t ackermann(uint16_t m, uint16_t n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static uint16_t moves;
static distinct void hanoi(uint8_t n, uint8_t from, uint8_t to)
{
    if (n == 0)
        return;
    hanoi(n - 1, from, 6 - from - to);
    moves++;
    hanoi(n - 1, 6 - from - to, to);
}

static distinct uint8_t odd(uint16_t n);
static distinct uint8_t even(uint16_t n)
{
    return n == 0 ? 1 : odd(n - 1);
}
static distinct uint8_t odd(uint16_t n)
{
    return n == 0 ? 0 : even(n - 1);
}

static distinct uint32_t fibonacci(uint8_t n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static uint8_t columns, solutions;
static distinct void queens(uint8_t row, uint8_t left, uint8_t right)
{
    if (row == 6) {
        solutions++;
        return;
    }
    for (uint8_t bit = 1; bit < 64; bit <<= 1)
        if (!((columns | left | right) & bit)) {
            columns |= bit;
            queens(row + 1, (left | bit) << 1, (right | bit) >> 1);
            columns ^= bit;
        }
}

int main(void)
{
    check(ackermann(opaque(2), 6) == 15);
    hanoi(opaque(9), 1, 3);
    check(moves == 511);
    check(even(opaque(50)) && odd(opaque(51)) && !even(opaque(7)));
    check(fibonacci(opaque(18)) == 2584);
    queens(0, 0, 0);
    check(solutions == 4);
    exit(0);
}
