/* Keeps time with the watch crystal, asleep in power-save, as TinyOS does: timer 0, by 32, a match every 32 clocks. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

volatile uint16_t ticks;

ISR(TIMER0_COMP_vect)
{
    PORTA ^= 1;
    ticks++;
}

int main(void)
{
    DDRA = 1;
    ASSR = 1 << AS0;
    TCNT0 = 0;
    OCR0 = 31;
    TCCR0 = 1 << WGM01 | 1 << CS01 | 1 << CS00;
    while (ASSR & (1 << TCN0UB | 1 << OCR0UB | 1 << TCR0UB))
        ;
    TIFR = 1 << OCF0;
    TIMSK = 1 << OCIE0;
    set_sleep_mode(SLEEP_MODE_PWR_SAVE);
    sleep_enable();
    sei();
    for (;;) {
        sleep_cpu();
        TCCR0 = 1 << WGM01 | 1 << CS01 | 1 << CS00; /* "to ensure that one TOSC1 cycle has elapsed" */
        while (ASSR & 1 << TCR0UB)
            ;
    }
}
