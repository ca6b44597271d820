/* Fixed-point types of avr-gcc (ISO TR 18037): arithmetic, rounding, saturation, conversion. */
#include <stdfix.h>

#include "check.h"

static distinct accum scale(accum a, fract f)
{
    return a * f;
}

static distinct sat fract add(sat fract a, sat fract b)
{
    return a + b;
}

int main(void)
{
    check(scale(opaque(10.5k), opaque(0.5r)) == 5.25k);
    check(scale(opaque(-3.0k), opaque(0.25r)) == -0.75k);
    check(opaque(7.0k) / 2 == 3.5k && opaque(1.5hk) * 3 == 4.5hk);
    check(add(opaque((sat fract)0.75r), 0.75r) == (sat fract)0.999969482421875r);
    check(add(opaque((sat fract)-0.75r), -0.75r) == (sat fract)(-0.5r - 0.5r));
    check((int)opaque(123.75k) == 123 && (float)opaque(-2.5k) == -2.5f && (accum)opaque(17) == 17.0k);
    check(bitsk(opaque(1.0k)) == 0x8000 && opaque(0.5ur) > opaque(0.25ur));
    check(roundk(opaque(2.71875k), 1) == 2.5k && absk(opaque(-4.25k)) == 4.25k);
    exit(0);
}
