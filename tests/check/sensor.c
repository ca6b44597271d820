/* A conversion of ADC0 each millisecond. Two errors: the voltage jumps from the middle to the top between two readings;
 * a conversion is not over when the next one is due. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdlib.h>

static volatile uint8_t waiting, readings;
static volatile uint16_t reading;

ISR(ADC_vect)
{
    reading = ADC;
    readings++;
    waiting = 0;
}

ISR(TIMER0_COMPA_vect)
{
    if (waiting)
        abort();
    waiting = 1;
    ADCSRA |= 1 << ADSC;
}

int main(void)
{
    uint16_t before = 0;
    uint8_t seen = 0;
    ADMUX = 1 << REFS0;
    ADCSRA = 1 << ADEN | 1 << ADIE | 7;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
    OCR0A = 249;
    TIMSK0 = 1 << OCIE0A;
    for (;;) {
        cli();
        if (seen == readings) {
            sleep_enable();
            sei();
            sleep_cpu();
            sleep_disable();
            continue;
        }
        uint16_t now = reading;
        seen = readings;
        sei();
        if (before > 400 && before < 600 && now > 820)
            abort();
        before = now;
    }
}
