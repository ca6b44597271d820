/* Prints a line again and again, and never ends. */
#include <util/delay.h>

#include "serial.h"

int main(void)
{
    serial_begin();
    DDRB |= 1 << PB5;
    for (;;) {
        serial_print("line\n");
        PINB = 1 << PB5;
        _delay_ms(100);
    }
}
