/* The 24-bit integers of avr-gcc, against 32-bit arithmetic. */
#include "check.h"

#define MASK 0xffffffUL

static distinct void operate(__uint24 a, __uint24 b, uint8_t by)
{
    uint32_t x = a, y = b;
    check((uint32_t)(__uint24)(a + b) == ((x + y) & MASK));
    check((uint32_t)(__uint24)(a - b) == ((x - y) & MASK));
    check((uint32_t)(__uint24)(a * b) == ((x * y) & MASK));
    check((uint32_t)(__uint24)(a << by) == ((x << by) & MASK));
    check((uint32_t)(a >> by) == x >> by);
    check((a < b) == (x < y) && (a == b) == (x == y));
    if (b != 0)
        check((uint32_t)(a / b) == x / y && (uint32_t)(a % b) == x % y);
    __int24 s = (__int24)a;
    int32_t t = (int32_t)(x << 8) >> 8;
    check((int32_t)s == t && (int32_t)(s >> by) == t >> by && (int32_t)(s / 7) == t / 7);
}

int main(void)
{
    operate(0, 1, 3);
    operate(0xffffff, 0xffffff, 23);
    operate(0x800000, 0x7fffff, 1);
    for (uint8_t i = 0; i < 200; i++) {
        uint32_t a = check_random(), b = check_random();
        operate((__uint24)a, (__uint24)(b >> i % 20), i % 24);
    }
    exit(0);
}
