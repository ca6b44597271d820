/* Sends back what it receives until a full stop, but listens only after 20 ms. */
#include <util/delay.h>

#include "serial.h"

int main(void)
{
    serial_begin();
    UCSR0B = 1 << TXEN0;
    _delay_ms(20);
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
    for (;;) {
        char c = serial_get();
        serial_put(c);
        if (c == '.')
            return 0;
    }
}
