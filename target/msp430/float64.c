/* 64-bit floating point, as the compiler calls it. For functions of two operands see integer.S: the second comes first.
 */
typedef __UINT64_TYPE__ rep_t;
typedef __INT64_TYPE__ signed_rep_t;
#define BITS     64
#define FRACTION 52
#include "float.h"

rep_t __motet_addd(rep_t b, rep_t a);
rep_t __motet_subd(rep_t b, rep_t a);
rep_t __motet_mpyd(rep_t b, rep_t a);
rep_t __motet_divd(rep_t b, rep_t a);
int16_t __motet_cmpd(rep_t b, rep_t a);
int16_t __unorddf2(rep_t a, rep_t b);
rep_t __mspabi_fltlid(int32_t a);
rep_t __mspabi_fltuld(uint32_t a);
rep_t __mspabi_fltllid(int64_t a);
rep_t __mspabi_fltulld(uint64_t a);
int32_t __mspabi_fixdli(rep_t a);
uint32_t __mspabi_fixdul(rep_t a);
int64_t __mspabi_fixdlli(rep_t a);
uint64_t __mspabi_fixdull(rep_t a);
rep_t __mspabi_cvtfd(uint32_t a);
uint32_t __mspabi_cvtdf(rep_t a);

rep_t __motet_addd(rep_t b, rep_t a)
{
    return add(a, b);
}

rep_t __motet_subd(rep_t b, rep_t a)
{
    return is_nan(b) ? b : add(a, b ^ SIGN);
}

rep_t __motet_mpyd(rep_t b, rep_t a)
{
    return multiply(a, b);
}

rep_t __motet_divd(rep_t b, rep_t a)
{
    return divide(a, b);
}

int16_t __motet_cmpd(rep_t b, rep_t a)
{
    return compare(a, b);
}

int16_t __unorddf2(rep_t a, rep_t b)
{
    return is_nan(a) || is_nan(b);
}

rep_t __mspabi_fltlid(int32_t a)
{
    return from_integer(a < 0 ? -(uint32_t)a : (uint32_t)a, a < 0);
}

rep_t __mspabi_fltuld(uint32_t a)
{
    return from_integer(a, 0);
}

rep_t __mspabi_fltllid(int64_t a)
{
    return from_integer(a < 0 ? -(uint64_t)a : (uint64_t)a, a < 0);
}

rep_t __mspabi_fltulld(uint64_t a)
{
    return from_integer(a, 0);
}

int32_t __mspabi_fixdli(rep_t a)
{
    return (int32_t)to_integer(a, INT32_MAX, (uint64_t)INT32_MAX + 1);
}

uint32_t __mspabi_fixdul(rep_t a)
{
    return (uint32_t)to_integer(a, UINT32_MAX, 0);
}

int64_t __mspabi_fixdlli(rep_t a)
{
    return (int64_t)to_integer(a, INT64_MAX, (uint64_t)INT64_MAX + 1);
}

uint64_t __mspabi_fixdull(rep_t a)
{
    return to_integer(a, UINT64_MAX, 0);
}

/* ---- between the formats ---- */

enum { SHORT_FRACTION = 23, SHORT_BIAS = 127, SHORT_INFINITE = 255, SHORTER = FRACTION - SHORT_FRACTION };

rep_t __mspabi_cvtfd(uint32_t a)
{
    rep_t sign = (rep_t)(a >> 31) << 63, fraction = a & 0x7fffff;
    int16_t exponent = a >> SHORT_FRACTION & SHORT_INFINITE;
    if (exponent == SHORT_INFINITE)
        return sign | INFINITY_ | fraction << SHORTER;
    if (!exponent) {
        if (!fraction)
            return sign;
        for (exponent = 1; !(fraction & 0x800000); exponent--)
            fraction <<= 1;
    }
    return sign | (rep_t)(exponent - SHORT_BIAS + BIAS) << FRACTION | (fraction & 0x7fffff) << SHORTER;
}

uint32_t __mspabi_cvtdf(rep_t a)
{
    uint32_t sign = (uint32_t)(a >> 32) & 0x80000000;
    if (is_nan(a))
        return 0x7fc00000;
    struct unpacked u = unpack(a);
    int16_t exponent = u.exponent - BIAS + SHORT_BIAS;
    if (is_infinite(a) || exponent >= SHORT_INFINITE)
        return sign | 0x7f800000;
    rep_t significand = shifted(u.significand, SHORTER + (exponent < 1 ? 1 - exponent : 0));
    uint32_t rest = (uint32_t)significand & 7;
    uint32_t result = (uint32_t)(significand >> GUARD) & 0x7fffff;
    if (exponent > 0)
        result |= (uint32_t)exponent << SHORT_FRACTION;
    if (rest > 4 || (rest == 4 && (result & 1)))
        result++;
    return sign | result;
}
