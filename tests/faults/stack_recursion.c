/* Recurses until the stack reaches the variable below it. */
#include <stdint.h>

volatile uint8_t readings[1000];

static __attribute__((noinline)) uint16_t sum(uint16_t depth)
{
    volatile uint8_t local[6];
    local[0] = (uint8_t)depth;
    return depth == 1000 ? local[0] : sum(depth + 1) + local[0];
}

int main(void)
{
    readings[0] = 1;
    return (int)sum(0);
}
