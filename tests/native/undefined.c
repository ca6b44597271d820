/* Does what C leaves undefined, with the chip's 16-bit int, in each marked line. */
#include <motet.h>
#include <stdbool.h>
#include <stdint.h>

static struct {
    uint8_t table[4];
    uint8_t behind;
} s;
static volatile int large = 32767, zero, bits = 16;
static volatile uint8_t index = 4;

int main(void)
{
    volatile int sum = large + 1;     /* undefined */
    volatile int shifted = 1 << bits; /* undefined */
    volatile int quotient = 5;
    if (zero)
        quotient = 5 / zero;
    s.table[index] = 1;                        /* undefined */
    volatile int product = 200 * (large >> 7); /* undefined */
    volatile uint16_t fine = (uint16_t)large + 40000u;
    volatile long wide = (long)large + 1;
    (void)sum, (void)shifted, (void)quotient, (void)product, (void)fine, (void)wide;
    motet_exit(s.behind);
}
