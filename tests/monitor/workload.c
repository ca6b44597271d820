/* A firmware of which everything is known: compute() calls leaf() three times, and is itself called five times. No
 * interrupts, no loops but counted ones. */
#include <motet.h>
#include <stdint.h>

volatile uint16_t total;
volatile uint8_t table[8];

__attribute__((noinline, noclone)) void leaf(uint8_t i)
{
    total += 3;
    table[i & 7]++;
}

__attribute__((noinline, noclone)) void compute(void)
{
    for (uint8_t i = 0; i < 3; i++)
        leaf(i);
}

__attribute__((noinline, noclone)) void unused(void)
{
    total = 0;
}

int main(void)
{
    for (uint8_t i = 0; i < 5; i++)
        compute();
    if (total == 1)
        unused();
    motet_exit(total == 45 ? 0 : 1);
}
