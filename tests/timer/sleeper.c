/* Sleeps between the matches of a timer and toggles a pin at each. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

ISR(TIMER1_COMPA_vect, ISR_NAKED)
{
    asm volatile("sbi %0, 5\nreti" ::"I"(_SFR_IO_ADDR(PINB)));
}

int main(void)
{
    DDRB = 1 << PB5;
    OCR1A = 999;
    TIMSK1 = 1 << OCIE1A;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    set_sleep_mode(SLEEP_MODE_IDLE);
    sleep_enable();
    sei();
    for (;;)
        sleep_cpu();
}
