/* Lights an LED between its pin and the supply by making the pin an output now and then, its value always low. */
#include <avr/io.h>
#include <util/delay.h>

int main(void)
{
    for (;;) {
        DDRA |= 1 << PA2;
        _delay_ms(10);
        DDRA &= ~(1 << PA2);
        _delay_ms(10);
    }
}
