/* Reads a word at an odd address, as a cast of a pointer into a packet makes it. */
#include <stdint.h>

static uint8_t packet[8];

static __attribute__((noinline)) uint16_t field(const volatile uint8_t *at)
{
    return *(const volatile uint16_t *)at;
}

int main(void)
{
    return field(packet + 1);
}
