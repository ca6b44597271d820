/* On a chip with two ports: what comes in at the second goes out at the first, and the other way round. */
#include <avr/io.h>

int main(void)
{
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
    UCSR1B = 1 << RXEN1 | 1 << TXEN1;
    for (;;) {
        if (bit_is_set(UCSR0A, RXC0))
            UDR1 = UDR0;
        if (bit_is_set(UCSR1A, RXC1)) {
            char c = UDR1;
            UDR0 = c;
            if (c == '.') {
                loop_until_bit_is_set(UCSR0A, UDRE0);
                return 0;
            }
        }
    }
}
