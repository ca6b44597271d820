/* An interrupt handler that allows interrupts nests until the stack is full. */
#include <avr/interrupt.h>
#include <avr/io.h>

volatile uint8_t readings[1700];

ISR(TIMER0_COMPA_vect, ISR_NOBLOCK)
{
    while (readings[0] == 0)
        ;
}

int main(void)
{
    OCR0A = 20;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS00;
    TIMSK0 = 1 << OCIE0A;
    sei();
    for (;;)
        ;
}
