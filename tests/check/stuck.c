/* Sleeps, and wakes up every 16 ms, until the reset pin was pulled: then it waits for something that never comes, with
 * interrupts that keep it company. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile uint8_t come;

ISR(TIMER0_COMPA_vect) {}

int main(void)
{
    uint8_t pulled = MCUSR & 1 << EXTRF;
    MCUSR = 0;
    OCR0A = 249;
    TCCR0A = 1 << WGM01;
    TIMSK0 = 1 << OCIE0A;
    TCCR0B = 1 << CS02 | 1 << CS00;
    sei();
    while (pulled && !come)
        ;
    for (;;)
        sleep_mode();
}
