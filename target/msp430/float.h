/* IEEE 754 arithmetic on bits, once for both formats: the file that includes this says which by BITS (width), FRACTION
 * (bits of it), rep_t and signed_rep_t (integers of that width).
 *
 * Numbers are taken apart into sign, exponent and significand; the significand of a finite number is left with
 * GUARD extra bits below, the lowest of which is sticky, so that `assemble` alone rounds (to nearest, ties to even),
 * for normal and subnormal results alike.
 */
#include <stdint.h>

#define SHARED    __attribute__((noinline)) /* 64-bit arithmetic takes much room */
#define GUARD     3
#define BIAS      ((1 << (BITS - FRACTION - 2)) - 1)
#define INFINITE  ((1 << (BITS - FRACTION - 1)) - 1) /* the exponent of infinities and NaNs */
#define SIGN      ((rep_t)1 << (BITS - 1))
#define HIDDEN    ((rep_t)1 << FRACTION)
#define INFINITY_ ((rep_t)INFINITE << FRACTION)
#define QUIET     (INFINITY_ | HIDDEN >> 1)
#define TOP       (HIDDEN << GUARD) /* the hidden bit of an unpacked significand */

struct unpacked {
    rep_t sign, significand; /* normalised: TOP is set, unless the number is zero */
    int16_t exponent;        /* biased; zero and below for what was subnormal */
};

static inline uint8_t is_nan(rep_t a)
{
    return (a & ~SIGN) > INFINITY_;
}

static inline uint8_t is_infinite(rep_t a)
{
    return (a & ~SIGN) == INFINITY_;
}

static inline uint8_t is_zero(rep_t a)
{
    return (a & ~SIGN) == 0;
}

static SHARED struct unpacked unpack(rep_t a)
{
    struct unpacked u = {a & SIGN, (a & (HIDDEN - 1)) << GUARD, (int16_t)(a >> FRACTION & INFINITE)};
    if (u.exponent) {
        u.significand |= TOP;
    } else if (u.significand) {
        for (u.exponent = 1; !(u.significand & TOP); u.exponent--)
            u.significand <<= 1;
    }
    return u;
}

/* Shifts right; what falls out stays as the sticky bit. */
static SHARED rep_t shifted(rep_t significand, int16_t by)
{
    if (by > FRACTION + GUARD + 1)
        return significand != 0;
    for (; by > 0; by--)
        significand = significand >> 1 | (significand & 1);
    return significand;
}

static SHARED rep_t assemble(struct unpacked u)
{
    if (u.exponent >= INFINITE)
        return u.sign | INFINITY_;
    if (u.exponent <= 0) {
        u.significand = shifted(u.significand, 1 - u.exponent);
        u.exponent = 0;
    }
    uint8_t rest = (uint8_t)u.significand & ((1 << GUARD) - 1), half = 1 << (GUARD - 1);
    rep_t result = (u.significand >> GUARD & (HIDDEN - 1)) | (rep_t)u.exponent << FRACTION;
    if (rest > half || (rest == half && (result & 1)))
        result++; /* may carry into the exponent, up to infinity, which is then right */
    return u.sign | result;
}

static rep_t add(rep_t a, rep_t b)
{
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b) && a != b))
        return QUIET;
    if (is_infinite(a) || is_infinite(b))
        return is_infinite(a) ? a : b;
    if (is_zero(a) || is_zero(b))
        return is_zero(a) && is_zero(b) ? a & b : is_zero(a) ? b : a;
    if ((a & ~SIGN) < (b & ~SIGN)) {
        rep_t other = a;
        a = b;
        b = other;
    }
    struct unpacked x = unpack(a), y = unpack(b);
    y.significand = shifted(y.significand, x.exponent - y.exponent);
    if (x.sign == y.sign) {
        x.significand += y.significand;
        if (x.significand & TOP << 1) {
            x.significand = shifted(x.significand, 1);
            x.exponent++;
        }
        return assemble(x);
    }
    x.significand -= y.significand;
    if (!x.significand)
        return 0;
    for (; !(x.significand & TOP); x.exponent--)
        x.significand <<= 1;
    return assemble(x);
}

static rep_t multiply(rep_t a, rep_t b)
{
    rep_t sign = (a ^ b) & SIGN;
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b)))
        return QUIET;
    if (is_infinite(a) || is_infinite(b))
        return sign | INFINITY_;
    if (is_zero(a) || is_zero(b))
        return sign;
    struct unpacked x = unpack(a), y = unpack(b), z = {.sign = sign};
    rep_t factor = y.significand >> GUARD, lost = 0;
    for (uint8_t i = 0; i <= FRACTION; i++) {
        if (factor & 1)
            z.significand += x.significand;
        lost |= z.significand & 1;
        z.significand >>= 1;
        factor >>= 1;
    }
    /* The product of two numbers in [1, 2), halved. */
    z.exponent = x.exponent + y.exponent - BIAS + 1;
    if (!(z.significand & TOP)) {
        z.significand = z.significand << 1 | lost;
        z.exponent--;
    }
    z.significand |= lost;
    return assemble(z);
}

static rep_t divide(rep_t a, rep_t b)
{
    rep_t sign = (a ^ b) & SIGN;
    if (is_nan(a) || is_nan(b) || (is_infinite(a) && is_infinite(b)) || (is_zero(a) && is_zero(b)))
        return QUIET;
    if (is_infinite(a) || is_zero(b))
        return sign | INFINITY_;
    if (is_zero(a) || is_infinite(b))
        return sign;
    struct unpacked x = unpack(a), y = unpack(b), z = {.sign = sign};
    z.exponent = x.exponent - y.exponent + BIAS;
    if (x.significand < y.significand) {
        x.significand <<= 1;
        z.exponent--;
    }
    for (uint8_t i = 0; i <= FRACTION + GUARD; i++) {
        z.significand <<= 1;
        if (x.significand >= y.significand) {
            x.significand -= y.significand;
            z.significand |= 1;
        }
        x.significand <<= 1;
    }
    z.significand |= x.significand != 0;
    return assemble(z);
}

/* Negative, zero or positive. The compiler asks one function for every comparison, so there is no answer for NaNs that
 * suits all: they are not less, not equal. */
static int16_t compare(rep_t a, rep_t b)
{
    if (is_nan(a) || is_nan(b))
        return 1;
    if (is_zero(a) && is_zero(b))
        return 0;
    signed_rep_t x = (signed_rep_t)(a & SIGN ? -(a & ~SIGN) : a), y = (signed_rep_t)(b & SIGN ? -(b & ~SIGN) : b);
    return x < y ? -1 : x > y;
}

static SHARED rep_t from_integer(uint64_t magnitude, uint8_t negative)
{
    if (!magnitude)
        return 0;
    int16_t exponent = BIAS + 63;
    while (!(magnitude >> 63)) {
        magnitude <<= 1;
        exponent--;
    }
    struct unpacked u = {.sign = negative ? SIGN : 0, .exponent = exponent};
    enum { excess = 63 - FRACTION - GUARD };
    u.significand = (rep_t)(magnitude >> excess) | ((magnitude & (((uint64_t)1 << excess) - 1)) != 0);
    return assemble(u);
}

/* Towards zero. What does not fit becomes the number nearest to it, NaNs zero. */
static SHARED uint64_t to_integer(rep_t a, uint64_t most, uint64_t least)
{
    if (is_nan(a))
        return 0;
    uint64_t limit = a & SIGN ? least : most, value = (a & (HIDDEN - 1)) | HIDDEN;
    int16_t exponent = (int16_t)(a >> FRACTION & INFINITE) - BIAS;
    if (exponent < 0)
        return 0;
    if (exponent > 63)
        value = limit;
    else
        value = exponent > FRACTION ? value << (exponent - FRACTION) : value >> (FRACTION - exponent);
    if (value > limit)
        value = limit;
    return a & SIGN ? -value : value;
}
