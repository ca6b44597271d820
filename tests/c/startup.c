/* What runs before main: initialised and cleared data, .init sections, constructors; and after it: exit handlers. */
#include <stdlib.h>

#include "check.h"

static uint16_t initialised[] = {0x1111, 0x2222, 0x3333}, cleared[20];
static uint8_t order __attribute__((section(".noinit")));
static uint8_t constructed;
static uint32_t constant = 0xcafef00d;

__attribute__((naked, used, section(".init3"))) static void early(void)
{
    order = 3;
}

__attribute__((constructor)) static void construct(void)
{
    constructed = order == 3 ? 1 : 2;
}

int main(void)
{
    check(initialised[0] == 0x1111 && initialised[2] == 0x3333);
    for (uint8_t i = 0; i < 20; i++)
        check(cleared[i] == 0);
    check(order == 3 && constructed == 1 && opaque(constant) == 0xcafef00d);
    return 0; /* main's value becomes exit's */
}
