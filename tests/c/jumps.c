/* setjmp and longjmp out of deep calls, with values, and through several marks. */
#include <setjmp.h>

#include "check.h"

static jmp_buf outer, inner;
static volatile uint8_t depth;

static distinct void dive(uint8_t to)
{
    volatile uint32_t ballast = to * 3UL;
    depth++;
    if (to == 0)
        longjmp(inner, 42);
    dive(to - 1);
    check(ballast == 1); /* never comes back here */
}

static distinct void climb(void)
{
    switch (setjmp(inner)) {
    case 0: dive(opaque(20)); abort();
    case 42: longjmp(outer, 0); /* becomes 1 */
    default: abort();
    }
}

int main(void)
{
    volatile uint16_t kept = 0x1234;
    uint8_t rounds = opaque(3);
    for (volatile uint8_t i = 0; i < rounds; i++) {
        depth = 0;
        int came = setjmp(outer);
        if (came == 0)
            climb();
        check(came == 1 && depth == 21 && kept == 0x1234);
    }
    exit(0);
}
