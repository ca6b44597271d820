/* A function whose locals do not fit, and which calls no function: no push would find it. */
#include <stdint.h>

volatile uint8_t readings[1500];

static __attribute__((noinline)) uint8_t parity(void)
{
    volatile uint8_t bits[700];
    for (uint16_t i = 0; i < sizeof bits; i++)
        bits[i] = readings[i];
    return bits[699];
}

int main(void)
{
    return parity() + readings[0];
}
