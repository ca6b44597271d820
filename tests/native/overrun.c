/* Writes past an array of four. */
#include <motet.h>
#include <stdint.h>

static uint16_t samples[4], next;

static void fill(uint8_t count)
{
    for (uint8_t i = 0; i < count; i++)
        samples[i] = i; /* here */
}

int main(void)
{
    fill(5);
    motet_exit((uint8_t)next);
}
