/* A lock that opens to eleven voltages one after the other. Without a voltage it waits, and a wrong one locks it again.
 * So a walk at random hardly ever comes through, but each step shows in a variable. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdlib.h>

enum stage { LOCKED, FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH, TENTH, OPEN } stage;
static const uint8_t key[] = {3, 1, 2, 1, 3, 2, 3, 1, 1, 2, 3};

ISR(ADC_vect)
{
    uint8_t volts = (uint8_t)((ADC + 102) / 205);
    ADCSRA = 0; /* or sleep would begin a conversion */
    if (!volts)
        return;
    stage = volts == key[stage] ? (enum stage)(stage + 1) : LOCKED;
    if (stage == OPEN)
        abort();
}

ISR(TIMER1_COMPA_vect)
{
    ADCSRA = 1 << ADEN | 1 << ADSC | 1 << ADIE | 7;
}

int main(void)
{
    ADMUX = 1 << REFS0;
    OCR1A = 3125; /* twenty times a second */
    TCCR1B = 1 << WGM12 | 1 << CS12;
    TIMSK1 = 1 << OCIE1A;
    sei();
    for (;;)
        sleep_mode();
}
