/* Runs on past the end of the code into the initial values of variables. */
#include <stdint.h>

extern const uint8_t __data_load_start;
volatile uint8_t values[8] = {1, 2, 3, 4, 5, 6, 7, 8};

int main(void)
{
    void (*volatile handler)(void) = (void (*)(void))((uint16_t)&__data_load_start / 2);
    handler();
    return values[0];
}
