/* Boots as TinyOS does on a MICAz: follows a timer that counts with the processor for about a second, to see the
 * crystal of the other settle, then measures one against the other, and sleeps. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

volatile uint16_t measured;

int main(void)
{
    TCCR1B = 1 << CS10;
    ASSR = 1 << AS0;
    TCCR0 = 1 << CS01 | 1 << CS00; /* 32768 Hz / 32 */
    uint16_t now = TCNT1;
    for (uint8_t wraps = F_CPU / 65536; wraps;) {
        uint16_t next = TCNT1;
        if (next < now)
            wraps--;
        now = next;
    }
    uint8_t start = TCNT0;
    while (TCNT0 == start)
        ;
    now = TCNT1;
    start = TCNT0;
    while ((uint8_t)(TCNT0 - start) < 8)
        ;
    measured = TCNT1 - now;
    TCCR1B = 0;
    TIMSK = 1 << TOIE0;
    sei();
    for (;;)
        sleep_mode();
}

EMPTY_INTERRUPT(TIMER0_OVF_vect)
