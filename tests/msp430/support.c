/* Arithmetic the compiler leaves to support routines, over edge operands: one line an operation, with a checksum of all
 * its results. Built for the machine at several levels and for the host; the outputs must be the same.
 *
 * Left out: what C leaves undefined, and orderings of NaNs (clang asks one function for all comparisons).
 */
#include <stdint.h>
#include <stdio.h>

#define distinct __attribute__((noinline))

static uint32_t sum;

static distinct void mix(uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        sum = (sum ^ (uint8_t)(value >> 8 * i)) * UINT32_C(16777619);
    }
}

static distinct void report(const char *name)
{
    printf("%s %08lx\n", name, (unsigned long)sum);
    sum = UINT32_C(2166136261);
}

#define OPERATION(NAME, TYPE, EXPRESSION)     \
    static distinct TYPE NAME(TYPE a, TYPE b) \
    {                                         \
        return (TYPE)(EXPRESSION);            \
    }
#define OPERATIONS(BITS)                                           \
    OPERATION(add##BITS, uint##BITS##_t, a + b)                    \
    OPERATION(subtract##BITS, uint##BITS##_t, a - b)               \
    OPERATION(multiply##BITS, uint##BITS##_t, (uint64_t)1 * a * b) \
    OPERATION(divide##BITS, uint##BITS##_t, a / b)                 \
    OPERATION(remainder##BITS, uint##BITS##_t, a % b)              \
    OPERATION(divide_signed##BITS, int##BITS##_t, a / b)           \
    OPERATION(remainder_signed##BITS, int##BITS##_t, a % b)        \
    OPERATION(left##BITS, uint##BITS##_t, a << (b % BITS))         \
    OPERATION(right##BITS, uint##BITS##_t, a >> (b % BITS))        \
    OPERATION(right_signed##BITS, int##BITS##_t, a >> ((uint##BITS##_t)b % BITS))
OPERATIONS(16)
OPERATIONS(32)
OPERATIONS(64)

/* In their own width, so that the 16- and 32-bit multiplications are what is tested. */
static distinct uint16_t product16(uint16_t a, uint16_t b)
{
    return (uint16_t)((unsigned)a * b);
}

static distinct uint32_t product32(uint32_t a, uint32_t b)
{
    return a * b;
}

static distinct int32_t widening16(int16_t a, int16_t b)
{
    return (int32_t)a * b;
}

static distinct int64_t widening32(int32_t a, int32_t b)
{
    return (int64_t)a * b;
}

#define COUNT(ARRAY) (sizeof(ARRAY) / sizeof *(ARRAY))

static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    7,
    10,
    15,
    16,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0x8001,
    0xffff,
    0x10000,
    0x12345,
    0xfffffff,
    0x7fffffff,
    0x80000000,
    0xfffffffe,
    0xffffffff,
    UINT64_C(0x100000000),
    UINT64_C(0x123456789abcdef),
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0xfedcba9876543210),
    UINT64_MAX - 1,
    UINT64_MAX,
};

#define FOR_PAIRS(TYPE, BODY)                            \
    for (unsigned i = 0; i < COUNT(edges); i++)          \
        for (unsigned j = 0; j < COUNT(edges); j++) {    \
            TYPE a = (TYPE)edges[i], b = (TYPE)edges[j]; \
            BODY;                                        \
        }

#define INTEGERS(BITS)                                                                                                 \
    static distinct void integers##BITS(void)                                                                          \
    {                                                                                                                  \
        typedef uint##BITS##_t unsigned_t;                                                                             \
        typedef int##BITS##_t signed_t;                                                                                \
        FOR_PAIRS(unsigned_t, mix(add##BITS(a, b)));                                                                   \
        report("add" #BITS);                                                                                           \
        FOR_PAIRS(unsigned_t, mix(subtract##BITS(a, b)));                                                              \
        report("subtract" #BITS);                                                                                      \
        FOR_PAIRS(unsigned_t, mix(multiply##BITS(a, b)));                                                              \
        report("multiply" #BITS);                                                                                      \
        FOR_PAIRS(unsigned_t, if (b) mix(divide##BITS(a, b)));                                                         \
        report("divide" #BITS);                                                                                        \
        FOR_PAIRS(unsigned_t, if (b) mix(remainder##BITS(a, b)));                                                      \
        report("remainder" #BITS);                                                                                     \
        FOR_PAIRS(signed_t, if (b && !(b == -1 && a == INT##BITS##_MIN)) mix((uint64_t)divide_signed##BITS(a, b)));    \
        report("divide signed" #BITS);                                                                                 \
        FOR_PAIRS(signed_t, if (b && !(b == -1 && a == INT##BITS##_MIN)) mix((uint64_t)remainder_signed##BITS(a, b))); \
        report("remainder signed" #BITS);                                                                              \
        FOR_PAIRS(unsigned_t, mix(left##BITS(a, b)));                                                                  \
        report("left" #BITS);                                                                                          \
        FOR_PAIRS(unsigned_t, mix(right##BITS(a, b)));                                                                 \
        report("right" #BITS);                                                                                         \
        FOR_PAIRS(signed_t, mix((uint64_t)right_signed##BITS(a, b)));                                                  \
        report("right signed" #BITS);                                                                                  \
    }
INTEGERS(16)
INTEGERS(32)
INTEGERS(64)

static distinct void products(void)
{
    FOR_PAIRS(uint16_t, mix(product16(a, b)));
    report("product16");
    FOR_PAIRS(uint32_t, mix(product32(a, b)));
    report("product32");
    FOR_PAIRS(int16_t, mix((uint64_t)widening16(a, b)));
    report("widening16");
    FOR_PAIRS(int32_t, mix((uint64_t)widening32(a, b)));
    report("widening32");
}

/* ---- floating point ---- */

static const uint32_t floats[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000, 0x00800001, 0x33800000, 0x3f000000,
    0x3f7fffff, 0x3f800000, 0x3f800001, 0xbf800000, 0x3fc00000, 0x40490fdb, 0xc2f6e979, 0x4b000001, 0x4b7fffff,
    0x4b800000, 0x4effffff, 0x4f000000, 0x5f7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
};
static const uint64_t doubles[] = {
    0,
    UINT64_C(0x8000000000000000),
    1,
    UINT64_C(0x000fffffffffffff),
    UINT64_C(0x0010000000000000),
    UINT64_C(0x3810000000000000),
    UINT64_C(0x380fffffe0000000),
    UINT64_C(0x36a0000000000001),
    UINT64_C(0x3fe0000000000000),
    UINT64_C(0x3fefffffffffffff),
    UINT64_C(0x3ff0000000000000),
    UINT64_C(0x3ff0000000000001),
    UINT64_C(0xbff8000000000000),
    UINT64_C(0x400921fb54442d18),
    UINT64_C(0x3ff0000010000000),
    UINT64_C(0x3ff0000030000000),
    UINT64_C(0x41dfffffffc00000),
    UINT64_C(0xc3dfffffffffffff),
    UINT64_C(0x47efffffe0000000),
    UINT64_C(0x47effffff0000000),
    UINT64_C(0x7fefffffffffffff),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0xfff0000000000000),
    UINT64_C(0x7ff8000000000000),
};

static distinct void mix_float(float value)
{
    union {
        float value;
        uint32_t bits;
    } u = {value};
    mix((u.bits & UINT32_C(0x7fffffff)) > UINT32_C(0x7f800000) ? UINT32_C(0x7fc00000) : u.bits);
}

static distinct void mix_double(double value)
{
    union {
        double value;
        uint64_t bits;
    } u = {value};
    mix((u.bits & INT64_MAX) > UINT64_C(0x7ff0000000000000) ? UINT64_C(0x7ff8000000000000) : u.bits);
}

static float float_of(uint32_t bits)
{
    union {
        uint32_t bits;
        float value;
    } u = {bits};
    return u.value;
}

static double double_of(uint64_t bits)
{
    union {
        uint64_t bits;
        double value;
    } u = {bits};
    return u.value;
}

#define FLOATING(TYPE, VALUES, MAKE, BODY)                          \
    for (unsigned i = 0; i < COUNT(VALUES); i++)                    \
        for (unsigned j = 0; j < COUNT(VALUES); j++) {              \
            volatile TYPE a = MAKE(VALUES[i]), b = MAKE(VALUES[j]); \
            BODY;                                                   \
        }
#define FLOATINGS(TYPE)                                                                                               \
    static distinct void arithmetic_##TYPE(void)                                                                      \
    {                                                                                                                 \
        FLOATING(TYPE, TYPE##s, TYPE##_of, mix_##TYPE(a + b));                                                        \
        report(#TYPE " add");                                                                                         \
        FLOATING(TYPE, TYPE##s, TYPE##_of, mix_##TYPE(a - b));                                                        \
        report(#TYPE " subtract");                                                                                    \
        FLOATING(TYPE, TYPE##s, TYPE##_of, mix_##TYPE(a *b));                                                         \
        report(#TYPE " multiply");                                                                                    \
        FLOATING(TYPE, TYPE##s, TYPE##_of, mix_##TYPE(a / b));                                                        \
        report(#TYPE " divide");                                                                                      \
        FLOATING(TYPE, TYPE##s, TYPE##_of, mix((uint64_t)((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3))); \
        report(#TYPE " compare");                                                                                     \
        FLOATING(TYPE, TYPE##s, TYPE##_of, if (a == a && b == b) mix((uint64_t)((a > b) | (a >= b) << 1)));           \
        report(#TYPE " exceed");                                                                                      \
        FLOATING(TYPE, TYPE##s, TYPE##_of, mix((uint64_t)__builtin_isunordered(a, b)));                               \
        report(#TYPE " unordered");                                                                                   \
    }                                                                                                                 \
    static distinct void conversions_##TYPE(void)                                                                     \
    {                                                                                                                 \
        for (unsigned i = 0; i < COUNT(edges); i++) {                                                                 \
            mix_##TYPE((TYPE)(int16_t)edges[i]);                                                                      \
            mix_##TYPE((TYPE)(uint16_t)edges[i]);                                                                     \
            mix_##TYPE((TYPE)(int32_t)(uint32_t)edges[i]);                                                            \
            mix_##TYPE((TYPE)(uint32_t)edges[i]);                                                                     \
            mix_##TYPE((TYPE)(int64_t)edges[i]);                                                                      \
            mix_##TYPE((TYPE)edges[i]);                                                                               \
        }                                                                                                             \
        report(#TYPE " from integers");                                                                               \
        for (unsigned i = 0; i < COUNT(TYPE##s); i++) {                                                               \
            volatile TYPE a = TYPE##_of(TYPE##s[i]);                                                                  \
            if (a > -32768 && a < 32767)                                                                              \
                mix((uint64_t)(int16_t)a);                                                                            \
            if (a > -1 && a < 65535)                                                                                  \
                mix((uint16_t)a);                                                                                     \
            if (a > -2147483648.0f && a < 2147483647.0f)                                                              \
                mix((uint64_t)(int32_t)a);                                                                            \
            if (a > -1 && a < 4294967295.0f)                                                                          \
                mix((uint32_t)a);                                                                                     \
            if (a > -9e18f && a < 9e18f)                                                                              \
                mix((uint64_t)(int64_t)a);                                                                            \
            if (a > -1 && a < 18e18f)                                                                                 \
                mix((uint64_t)a);                                                                                     \
        }                                                                                                             \
        report(#TYPE " to integers");                                                                                 \
    }
FLOATINGS(float)
FLOATINGS(double)

static void formats(void)
{
    for (unsigned i = 0; i < COUNT(floats); i++)
        mix_double((double)float_of(floats[i]));
    report("float to double");
    for (unsigned i = 0; i < COUNT(doubles); i++)
        mix_float((float)double_of(doubles[i]));
    report("double to float");
}

int main(void)
{
    sum = UINT32_C(2166136261);
    integers16();
    integers32();
    integers64();
    products();
    arithmetic_float();
    conversions_float();
    arithmetic_double();
    conversions_double();
    formats();
    return 0;
}
