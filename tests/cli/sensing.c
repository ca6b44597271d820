/* Prints what the temperature sensor on the chip shows, in steps of 1.1 V / 1024. */
#include <avr/io.h>
#include <motet.h>
#include <stdlib.h>

volatile uint16_t reading;

int main(void)
{
    char text[8];
    ADMUX = 1 << REFS1 | 1 << REFS0 | 8;
    ADCSRA = 1 << ADEN | 1 << ADSC | 7;
    while (ADCSRA & 1 << ADSC)
        ;
    reading = ADC;
    motet_puts(itoa((int)reading, text, 10));
    motet_putc('\n');
    return 0;
}
