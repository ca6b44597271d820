/* Sleeps in power-down. INT0 (PD2) changes PB0, once; a change of PD4 changes PB1. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

ISR(INT0_vect)
{
    EIMSK = 0;
    PINB = 1;
}

ISR(PCINT2_vect)
{
    PINB = 2;
}

int main(void)
{
    DDRB = 3;
    PORTD = 1 << PD2;
    EICRA = SENSE;
    PCMSK2 = 1 << PD4;
    PCICR = 1 << PCIE2;
    EIFR = 1;
    EIMSK = 1;
    set_sleep_mode(SLEEP_MODE_PWR_DOWN);
    sei();
    for (;;)
        sleep_mode();
}
