/* Variable arguments of all widths, passed on, copied, and through structures. */
#include <stdarg.h>

#include "check.h"

struct pair {
    char a;
    long b;
};

static distinct uint32_t gather(const char *kinds, va_list args)
{
    uint32_t sum = 0;
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': check_mix(&sum, (uint32_t)(int32_t)va_arg(args, int)); break;
        case 'l': check_mix(&sum, (uint32_t)va_arg(args, long)); break;
        case 'q': {
            uint64_t q = va_arg(args, uint64_t);
            check_mix(&sum, (uint32_t)q ^ (uint32_t)(q >> 32));
            break;
        }
        case 'd': check_mix(&sum, (uint32_t)(int32_t)va_arg(args, double)); break;
        case 's': check_mix(&sum, (uint32_t)*va_arg(args, const char *)); break;
        case 'p': {
            struct pair p = va_arg(args, struct pair);
            check_mix(&sum, (uint32_t)p.b + (uint32_t)p.a);
            break;
        }
        default: abort();
        }
    return sum;
}

static distinct uint32_t twice(const char *kinds, ...)
{
    va_list args, again;
    va_start(args, kinds);
    va_copy(again, args);
    uint32_t first = gather(kinds, args), second = gather(kinds, again);
    va_end(args);
    va_end(again);
    check(first == second);
    return first;
}

int main(void)
{
    struct pair p = {3, 100000};
    uint32_t sum = 0;
    check_mix(&sum, (uint32_t)-5);
    check_mix(&sum, 123456);
    check_mix(&sum, 0x55667788u ^ 0x11223344u);
    check_mix(&sum, 1000);
    check_mix(&sum, 'x');
    check_mix(&sum, 100003);
    check_mix(&sum, 7);
    check(twice("ilqdspi", -5, 123456L, 0x1122334455667788ULL, 1000.5, "xyz", p, 7) == sum);
    check(twice("") == 0);
    exit(0);
}
