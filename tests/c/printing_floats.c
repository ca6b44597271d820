/* printf with the full formatter of avr-libc (-lprintf_flt). */
#include <stdio.h>
#include <string.h>

#include "check.h"

static char text[48];

#define prints(EXPECTED, ...)                     \
    do {                                          \
        snprintf(text, sizeof text, __VA_ARGS__); \
        check(strcmp(text, EXPECTED) == 0);       \
    } while (0)

int main(void)
{
    prints("3.141593", "%f", opaque(3.14159265f));
    prints("-2.50|  1.000|1.00  |", "%.2f|%7.3f|%-6.2f|", opaque(-2.5f), opaque(1.0f), opaque(1.0f));
    prints("1.234568e+10", "%e", opaque(12345678901.0f));
    prints("0.0001 1e-05 100000 1e+06", "%g %g %g %g", opaque(1e-4f), opaque(1e-5f), opaque(1e5f), opaque(1e6f));
    prints("INF nan -inf", "%F %f %f", opaque(1.0f) / opaque(0.0f), opaque(0.0f) / opaque(0.0f), -1 / opaque(0.0f));
    prints("+0.5 -0.0", "%+.1f %.1f", opaque(0.5f), opaque(-0.0f));
    exit(0);
}
