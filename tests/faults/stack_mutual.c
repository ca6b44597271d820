/* Two functions that call each other without end. */
#include <stdint.h>

volatile uint8_t readings[1000];

static uint16_t odd(uint16_t n);

static __attribute__((noinline, noclone)) uint16_t even(uint16_t n)
{
    return n == 0xffff ? 1 : odd(n + 2) + readings[0];
}

static __attribute__((noinline, noclone)) uint16_t odd(uint16_t n)
{
    return n == 0xffff ? 0 : even(n + 4) + readings[1];
}

int main(void)
{
    return (int)even(0);
}
