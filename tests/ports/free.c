/* Converts without end, a change of PB0 for each result, asleep in between. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

ISR(ADC_vect, ISR_NAKED)
{
    asm volatile("sbi %0, 0\n reti" ::"I"(_SFR_IO_ADDR(PINB)));
}

int main(void)
{
    DDRB = 1;
    ADMUX = 1 << REFS0;
    ADCSRA = 1 << ADEN | 1 << ADSC | 1 << ADATE | 1 << ADIE | 4; /* by 16 */
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;)
        sleep_mode();
}
