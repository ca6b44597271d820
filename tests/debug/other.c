/* Another firmware, to be loaded over the first. */
#include <avr/io.h>

volatile uint8_t mark;

int main(void)
{
    for (;;)
        mark = 0xa5;
}
