/* The functions of <math.h>, within a few units of the last place of known values. */
#include <math.h>

#include "check.h"

static distinct void near(float value, float expected)
{
    check(fabsf(value - expected) <= 4e-6f * (fabsf(expected) > 1 ? fabsf(expected) : 1));
}

int main(void)
{
    near(sinf(opaque(1.0f)), 0.841470985f);
    near(cosf(opaque(2.0f)), -0.416146837f);
    near(tanf(opaque(0.5f)), 0.546302490f);
    near(asinf(opaque(0.25f)), 0.252680255f);
    near(acosf(opaque(-0.5f)), 2.094395102f);
    near(atanf(opaque(3.0f)), 1.249045772f);
    near(atan2f(opaque(-1.0f), opaque(-2.0f)), -2.677945045f);
    near(expf(opaque(3.5f)), 33.11545196f);
    near(logf(opaque(10.0f)), 2.302585093f);
    near(log10f(opaque(2.0f)), 0.301029996f);
    near(powf(opaque(2.5f), opaque(-1.5f)), 0.252982213f);
    near(sqrtf(opaque(2.0f)), 1.414213562f);
    near(cbrtf(opaque(27.0f)), 3.0f);
    near(hypotf(opaque(3.0f), opaque(4.0f)), 5.0f);
    near(sinhf(opaque(1.0f)), 1.175201194f);
    near(coshf(opaque(1.0f)), 1.543080635f);
    near(tanhf(opaque(0.5f)), 0.462117157f);
    near(fmodf(opaque(10.5f), opaque(3.0f)), 1.5f);
    near(ldexpf(opaque(0.75f), opaque(4)), 12.0f);
    check(floorf(opaque(-1.5f)) == -2 && ceilf(opaque(-1.5f)) == -1 && truncf(opaque(-1.5f)) == -1);
    check(roundf(opaque(2.5f)) == 3 && lroundf(opaque(-2.5f)) == -3 && lrintf(opaque(2.5f)) == 2);
    int exponent;
    check(frexpf(opaque(12.0f), &exponent) == 0.75f && exponent == 4);
    float whole;
    check(modff(opaque(-7.25f), &whole) == -0.25f && whole == -7);
    check(isnan(sqrtf(opaque(-1.0f))) && isinf(logf(opaque(0.0f))));
    check(copysignf(opaque(3.0f), opaque(-0.0f)) == -3 && signbit(opaque(-1.0f)));
    exit(0);
}
