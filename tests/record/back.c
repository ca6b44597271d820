/* Changes bits of registers of which others change by themselves, while handlers come in between that read many others:
 * what was not recorded goes back to where it came from, and replay lets it. */
#include <avr/interrupt.h>
#include <avr/io.h>

volatile uint16_t sum, rounds;

ISR(TIMER0_COMP_vect)
{
    OCR0 += 41;
    sum += TCNT1;
    sum += TCNT3 + TIFR + ETIFR + UCSR0A + UCSR1A + ADCSRA + SPSR;
}

int main(void)
{
    TCCR1B = 1 << CS10;
    TCCR3B = 1 << CS11;
    TCCR0 = 1 << CS01 | 1 << CS00;
    TIMSK = 1 << OCIE0;
    sei();
    for (;;) {
        UCSR1B |= 1 << TXB81;
        UCSR1B &= (uint8_t) ~(1 << TXB81);
        UCSR1B ^= 1 << TXB81;
        UCSR1B ^= 1 << TXB81;
        rounds++;
    }
}
