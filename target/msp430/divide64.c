/* 64-bit division, bit by bit. See integer.S for why the divisor comes first. */
#include <stdint.h>

uint64_t __motet_divull(uint64_t b, uint64_t a);
uint64_t __motet_remull(uint64_t b, uint64_t a);
int64_t __motet_divlli(int64_t b, int64_t a);
int64_t __motet_remlli(int64_t b, int64_t a);

static __attribute__((noinline)) uint64_t divide(uint64_t a, uint64_t b, uint64_t *remainder)
{
    uint64_t rest = 0;
    for (uint8_t i = 0; i < 64; i++) {
        uint8_t over = (int64_t)rest < 0;
        rest = rest + rest + ((int64_t)a < 0);
        a += a;
        if (over || rest >= b) {
            rest -= b;
            a |= 1;
        }
    }
    *remainder = rest;
    return a;
}

static uint64_t magnitude(int64_t a)
{
    return a < 0 ? -(uint64_t)a : (uint64_t)a;
}

uint64_t __motet_divull(uint64_t b, uint64_t a)
{
    uint64_t rest;
    return divide(a, b, &rest);
}

uint64_t __motet_remull(uint64_t b, uint64_t a)
{
    uint64_t rest;
    divide(a, b, &rest);
    return rest;
}

int64_t __motet_divlli(int64_t b, int64_t a)
{
    uint64_t rest, quotient = divide(magnitude(a), magnitude(b), &rest);
    return (int64_t)((a ^ b) < 0 ? -quotient : quotient);
}

int64_t __motet_remlli(int64_t b, int64_t a)
{
    uint64_t rest;
    divide(magnitude(a), magnitude(b), &rest);
    return (int64_t)(a < 0 ? -rest : rest);
}
