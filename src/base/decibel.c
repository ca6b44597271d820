#include "base/decibel.h"

#include <stdint.h>
#include <string.h>

#define LN_2               0.69314718055994530942
#define DECIBEL_PER_NEPER  4.34294481903251827651 /* 10 / ln 10 */
#define BINARY_PER_DECIBEL 0.33219280948873623479 /* log2(10) / 10 */
#define SQRT_2             1.41421356237309504880

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double decibel_of(double ratio)
{
    if (!(ratio > 1e-300))
        return DECIBEL_NOTHING;
    if (ratio > 1e300)
        return -DECIBEL_NOTHING;
    uint64_t bits = bits_of(ratio);
    int exponent = (int)(bits >> 52) - 1023;
    double m = from_bits((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    if (m > SQRT_2) {
        m /= 2;
        exponent++;
    }
    /* ln m = 2 artanh((m - 1) / (m + 1)); the argument is below 0.172, so s^25 is below 10^-19. */
    static const double inverse[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                     1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int i = 0; i < 12; i++)
        sum = sum * square + inverse[i];
    return (2 * s * sum + exponent * LN_2) * DECIBEL_PER_NEPER;
}

double decibel_ratio(double decibel)
{
    if (decibel < DECIBEL_NOTHING)
        decibel = DECIBEL_NOTHING;
    if (decibel > -DECIBEL_NOTHING)
        decibel = -DECIBEL_NOTHING;
    double binary = decibel * BINARY_PER_DECIBEL;
    int whole = (int)(binary + (binary < 0 ? -0.5 : 0.5));
    /* Below 0.35: x^14/14! is below 10^-17. */
    static const double inverse[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
    double x = (binary - whole) * LN_2, sum = 0;
    for (int i = 0; i < 14; i++)
        sum = sum * x + inverse[i];
    return sum * from_bits((uint64_t)(whole + 1023) << 52);
}
