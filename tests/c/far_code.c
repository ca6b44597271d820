/* Functions beyond 128 KB: direct calls with a 22-bit address, pointers through the linker's trampolines (EICALL). */
#include "check.h"

#define FAR __attribute__((section(".farcode"), noinline, noclone))

/* The linker places .farcode beyond 128 KB (CMakeLists.txt). */
FAR static uint32_t far_add(uint32_t a, uint32_t b)
{
    return a + b;
}
FAR static uint32_t far_multiply(uint32_t a, uint32_t b)
{
    return a * b;
}
FAR static uint32_t far_power(uint32_t a, uint32_t n)
{
    return n == 0 ? 1 : far_multiply(a, far_power(a, n - 1));
}
static distinct uint32_t near_subtract(uint32_t a, uint32_t b)
{
    return a - b;
}
FAR static uint32_t far_to_near(uint32_t a, uint32_t b)
{
    return near_subtract(a, b) + 1;
}

typedef uint32_t (*operation)(uint32_t, uint32_t);
static const operation volatile table[] = {far_add, far_multiply, far_power, near_subtract, far_to_near};

/* The most significant byte of the return address, which CALL pushes last: 1 where the caller lies beyond 128 KB. */
uint8_t caller_piece(void);
__asm__(".pushsection .text\n.global caller_piece\ncaller_piece:\n\tin r30, __SP_L__\n\tin r31, __SP_H__\n\tldd r24, "
        "Z+1\n\tret\n.popsection");

FAR static uint32_t far_choose(uint8_t n)
{
    switch (n) {
    case 0: return 10;
    case 1: return 20 + caller_piece();
    case 2: return 35;
    case 3: return 47;
    case 4: return 51;
    case 5: return 66;
    case 6: return 78;
    case 7: return 80;
    default: return 0;
    }
}

int main(void)
{
    check(far_add(opaque(3UL), 4) == 7 && far_power(opaque(7UL), 9) == 40353607 && far_to_near(opaque(9UL), 4) == 6);
    static const uint32_t expected[] = {9, 18, 216, 3, 4};
    for (uint8_t i = 0; i < 5; i++)
        check(table[i](6, 3) == expected[i]);
    static const uint8_t chosen[] = {10, 21, 35, 47, 51, 66, 78, 80, 0};
    for (uint8_t i = 0; i < 9; i++)
        check(far_choose(opaque(i)) == chosen[i]);
    exit(0);
}
