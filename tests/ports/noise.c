/* Converts in ADC noise reduction mode: falling asleep starts the conversion, its end wakes. PB0 changes for each. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

EMPTY_INTERRUPT(ADC_vect)

volatile uint16_t results[8];

int main(void)
{
    DDRB = 1;
    ADMUX = 1 << REFS0 | 2;
    ADCSRA = 1 << ADEN | 1 << ADIE | 7; /* by 128 */
    set_sleep_mode(SLEEP_MODE_ADC);
    sleep_enable();
    sei();
    for (uint8_t i = 0; i < 8; i++) {
        sleep_cpu();
        PINB = 1;
        results[i] = ADC;
    }
    cli();
    sleep_cpu();
}
