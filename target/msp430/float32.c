/* 32-bit floating point, as the compiler calls it. */
typedef __UINT32_TYPE__ rep_t;
typedef __INT32_TYPE__ signed_rep_t;
#define BITS     32
#define FRACTION 23
#include "float.h"

rep_t __mspabi_addf(rep_t a, rep_t b);
rep_t __mspabi_subf(rep_t a, rep_t b);
rep_t __mspabi_mpyf(rep_t a, rep_t b);
rep_t __mspabi_divf(rep_t a, rep_t b);
int16_t __mspabi_cmpf(rep_t a, rep_t b);
int16_t __unordsf2(rep_t a, rep_t b);
rep_t __mspabi_fltlif(int32_t a);
rep_t __mspabi_fltulf(uint32_t a);
rep_t __mspabi_fltllif(int64_t a);
rep_t __mspabi_fltullf(uint64_t a);
int32_t __mspabi_fixfli(rep_t a);
uint32_t __mspabi_fixful(rep_t a);
int64_t __mspabi_fixflli(rep_t a);
uint64_t __mspabi_fixfull(rep_t a);

rep_t __mspabi_addf(rep_t a, rep_t b)
{
    return add(a, b);
}

rep_t __mspabi_subf(rep_t a, rep_t b)
{
    return is_nan(b) ? b : add(a, b ^ SIGN);
}

rep_t __mspabi_mpyf(rep_t a, rep_t b)
{
    return multiply(a, b);
}

rep_t __mspabi_divf(rep_t a, rep_t b)
{
    return divide(a, b);
}

int16_t __mspabi_cmpf(rep_t a, rep_t b)
{
    return compare(a, b);
}

int16_t __unordsf2(rep_t a, rep_t b)
{
    return is_nan(a) || is_nan(b);
}

rep_t __mspabi_fltlif(int32_t a)
{
    return from_integer(a < 0 ? -(uint32_t)a : (uint32_t)a, a < 0);
}

rep_t __mspabi_fltulf(uint32_t a)
{
    return from_integer(a, 0);
}

rep_t __mspabi_fltllif(int64_t a)
{
    return from_integer(a < 0 ? -(uint64_t)a : (uint64_t)a, a < 0);
}

rep_t __mspabi_fltullf(uint64_t a)
{
    return from_integer(a, 0);
}

int32_t __mspabi_fixfli(rep_t a)
{
    return (int32_t)to_integer(a, INT32_MAX, (uint64_t)INT32_MAX + 1);
}

uint32_t __mspabi_fixful(rep_t a)
{
    return (uint32_t)to_integer(a, UINT32_MAX, 0);
}

int64_t __mspabi_fixflli(rep_t a)
{
    return (int64_t)to_integer(a, INT64_MAX, (uint64_t)INT64_MAX + 1);
}

uint64_t __mspabi_fixfull(rep_t a)
{
    return to_integer(a, UINT64_MAX, 0);
}
