/* The first serial port, by polling, at 1 Mbaud on a 16 MHz clock. */
#include <avr/io.h>

static inline void serial_begin(void)
{
    UCSR0A = 0;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
    UBRR0 = 0;
}

static inline void serial_put(char c)
{
    loop_until_bit_is_set(UCSR0A, UDRE0);
    UDR0 = c;
}

static inline void serial_print(const char *s)
{
    while (*s)
        serial_put(*s++);
}

static inline char serial_get(void)
{
    loop_until_bit_is_set(UCSR0A, RXC0);
    return UDR0;
}
