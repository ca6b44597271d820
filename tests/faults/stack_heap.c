/* The heap takes most of the RAM; the stack then runs into it. */
#include <stdint.h>
#include <stdlib.h>

static __attribute__((noinline)) uint16_t sum(uint16_t depth)
{
    volatile uint8_t local[6];
    local[0] = (uint8_t)depth;
    return depth == 1000 ? local[0] : sum(depth + 1) + local[0];
}

int main(void)
{
    volatile uint8_t *block = malloc(1200);
    block[0] = 1;
    return (int)sum(block[0]);
}
