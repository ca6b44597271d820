/* An invariant that fails after a while, which freezes the log, also after a reset; with `clear` set from outside the
 * node is to record again. */
#include <avr/interrupt.h>
#include <avr/io.h>

#include "motet_record.h"

uint8_t clear, limit = 40;
static volatile uint8_t ticks;
static uint32_t sum;

MOTET_VECTOR(15);
ISR(TIMER0_COMP_vect)
{
    MOTET_STEP();
    ticks++;
    sum += motet_read8(TCNT0, 0xff, MOTET_SITE(MOTET_TIMER, 0));
}

int main(void)
{
    motet_boot();
    if (*(volatile uint8_t *)&clear)
        motet_clear();
    OCR0 = 90;
    TCCR0 = 1 << WGM01 | 1 << CS02 | 1 << CS01; /* every 25600 cycles */
    TIMSK = 1 << OCIE0;
    sei();
    for (;;) {
        MOTET_STEP();
        motet_invariant(ticks < *(volatile uint8_t *)&limit);
        motet_idle();
    }
}
