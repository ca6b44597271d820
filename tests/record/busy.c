/* Never comes to rest: all it does is written where it happens, until the flash is full. */
#include <avr/io.h>

volatile uint16_t sum;

int main(void)
{
    TCCR1B = 1 << CS10;
    for (;;)
        sum += TCNT1;
}
