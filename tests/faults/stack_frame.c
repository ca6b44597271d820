/* A single function whose locals do not fit. */
#include <stdint.h>

volatile uint8_t readings[1500];

static __attribute__((noinline)) void use(volatile uint8_t *bytes)
{
    bytes[0] = readings[0];
}

static __attribute__((noinline)) void decode(void)
{
    volatile uint8_t frame[700];
    use(frame);
}

int main(void)
{
    decode();
    return 0;
}
