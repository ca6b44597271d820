/* Says hello, lights the LED for a while, and ends with the status STATUS. */
#include <stdlib.h>
#include <util/delay.h>

#include "serial.h"

int main(void)
{
    serial_begin();
    DDRB |= 1 << PB5;
    PORTB |= 1 << PB5;
    serial_print("hello\n");
    _delay_ms(1);
    PORTB &= ~(1 << PB5);
    return STATUS;
}
