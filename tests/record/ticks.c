/* A timer's interrupts in busy code: a handler that reads its counter, library routines (division) that do not count,
 * calls of the recorder that an interrupt may fall into. */
#include <avr/interrupt.h>
#include <avr/io.h>

#include "motet_record.h"

#ifndef ENDLESS
#define ENDLESS 0
#endif

static volatile uint8_t ticks;
static volatile uint16_t sum;
static uint32_t quotients;

MOTET_VECTOR(15);
ISR(TIMER0_COMP_vect)
{
    MOTET_STEP();
    ticks++;
    sum += motet_read8(TCNT0, 0xff, MOTET_SITE(MOTET_TIMER, 0));
}

static void divide(uint16_t by)
{
    MOTET_STEP();
    quotients += 0x12345678ul / by;
}

int main(void)
{
    motet_boot();
    OCR0 = 90;
    TCCR0 = 1 << WGM01 | 1 << CS02 | 1 << CS01; /* every 25600 cycles */
    TIMSK = 1 << OCIE0;
    sei();
    for (uint16_t i = 1; ENDLESS || ticks < 250; i++) {
        MOTET_STEP();
        divide(i);
        divide(i);
        if (i % 8 == 0)
            motet_idle();
        if (i % 16 == 0)
            quotients += motet_read8(TCNT0 & 0x0f, 0x0f, MOTET_SITE(MOTET_STATE, 1));
    }
    motet_flush();
    cli();
    for (;;)
        ;
}
