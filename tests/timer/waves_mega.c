/* The output compare modulator: OC0A, a carrier of 50 cycles half of the time high, through OC1C, high for 1000 of 4000
 * cycles; and phase and frequency correct PWM on timer 5. */
#include <avr/io.h>

int main(void)
{
    DDRB = 1 << PB7;
    DDRL = 1 << PL3;
    GTCCR = 1 << TSM | 1 << PSRSYNC; /* both begin at once */
    OCR0A = 24;
    TCCR0A = 1 << COM0A0 | 1 << WGM01;
    TCCR0B = 1 << CS00;
    TCCR1A = 1 << COM1C1 | 1 << WGM11;
    TCCR1B = 1 << WGM13 | 1 << WGM12;
    ICR1 = 3999;
    OCR1C = 999;
    TCCR1B |= 1 << CS10;

    TCCR5A = 1 << COM5A1;
    TCCR5B = 1 << WGM53;
    ICR5 = 500;
    OCR5A = 120;
    TCCR5B |= 1 << CS50;
    GTCCR = 0;
    for (;;)
        ;
}
