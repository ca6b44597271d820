/* 64-bit integers, multiplication and division of every width. */
#include <stdint.h>

static uint64_t state = 0x0123456789abcdef;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static uint8_t divides(uint64_t a, uint64_t b)
{
    int64_t c = (int64_t)a, d = (int64_t)b;
    uint32_t e = (uint32_t)a, f = (uint32_t)b | 1;
    uint16_t g = (uint16_t)a, h = (uint16_t)b | 1;
    int32_t i = (int32_t)a, j = (int32_t)f;
    int16_t k = (int16_t)g, l = (int16_t)h;
    uint8_t m = (uint8_t)a, n = (uint8_t)b | 1;
    return a / b * b + a % b == a && c / d * d + c % d == c && e / f * f + e % f == e && g / h * h + g % h == g &&
           i / j * j + i % j == i && k / l * l + k % l == k && m / n * n + m % n == m;
}

int main(void)
{
    for (uint8_t i = 0; i < 20; i++) {
        uint64_t a = next(), b = next() >> (i * 3 % 50) | 1;
        if (!divides(a, b))
            return 1;
        uint8_t shift = i * 3;
        if (shift && (a << shift >> shift ^ a) >> (64 - shift) != a >> (64 - shift))
            return 2;
        if ((int64_t)a * (int64_t)b != (int64_t)(a * b) || (a > b) == (a <= b))
            return 3;
        if ((double)(int32_t)(b >> 40) != (float)(uint32_t)(b >> 40))
            return 4;
    }
    return 0;
}
