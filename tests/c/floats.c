/* Single-precision arithmetic, conversions and comparisons, against the results of IEEE hardware. */
#include <string.h>

#include "check.h"

static uint32_t bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, sizeof b);
    return b;
}

static float random_float(void)
{
    /* Exponents near zero, so that nothing overflows or becomes subnormal. */
    uint32_t b = check_random() & 0x807fffff;
    b |= (uint32_t)(120 + check_random() % 16) << 23;
    float f;
    memcpy(&f, &b, sizeof f);
    return f;
}

static distinct uint32_t operate(float a, float b)
{
    uint32_t sum = 0;
    check_mix(&sum, bits(a + b));
    check_mix(&sum, bits(a - b));
    check_mix(&sum, bits(a * b));
    check_mix(&sum, bits(a / b));
    check_mix(&sum, (uint32_t)(a < b) | (uint32_t)(a <= b) << 1 | (uint32_t)(a == b) << 2 | (uint32_t)(a > b) << 3);
    check_mix(&sum, (uint32_t)(int32_t)(a * 1000));
    check_mix(&sum, bits((float)(int32_t)check_random()));
    check_mix(&sum, bits((float)check_random()));
    check_mix(&sum, bits((float)(int16_t)check_random()));
    check_mix(&sum, bits((float)(int8_t)check_random()));
    return sum;
}

int main(void)
{
    uint32_t sum = 0;
    for (uint8_t i = 0; i < 200; i++) {
        float a = random_float(), b = random_float();
        check_mix(&sum, operate(a, b));
    }
    check(sum == 0x53dfbc19);

    float zero = opaque(0.0f), infinite = 1 / zero, nan = zero / zero;
    check(bits(infinite) == 0x7f800000);
    check(bits(-1 / zero) == 0xff800000);
    check(nan != nan && !(nan < 1) && !(nan > 1) && !(nan == 1));
    check(infinite > 3e38f && -infinite < -3e38f && infinite - infinite != 0);
    check(opaque(1e38f) * 10 == infinite);
    check(bits(opaque(-0.0f)) == 0x80000000 && opaque(-0.0f) == 0);
    check((uint8_t)opaque(200.9f) == 200 && (int16_t)opaque(-3.9f) == -3 && (uint32_t)opaque(4e9f) == 4000000000u);
    check(bits(opaque(16777216.0f) + 1) == bits(16777216.0f)); /* rounds to even */
    check(bits(opaque(16777216.0f) + 3) == bits(16777220.0f));
    exit(0);
}
