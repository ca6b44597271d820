/* Mostly asleep: timer 1 wakes the processor a thousand times a second for a few instructions of work. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#include "kernel.h"

static volatile uint16_t ticks;

ISR(TIMER1_COMPA_vect)
{
    ticks++;
}

int main(void)
{
    uint16_t state = 1, seen = 0;
    uint32_t average = 0;
    OCR1A = (uint16_t)(F_CPU / 8 / 1000 - 1);
    TCCR1B = 1 << WGM12 | 1 << CS11;
#ifdef TIMSK1
    TIMSK1 = 1 << OCIE1A;
#else
    TIMSK = 1 << OCIE1A;
#endif
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (;;) {
        sleep_mode();
        average += (kernel_random(&state) - (average >> 4));
        if (++seen % 16 == 0)
            kernel_round_done(average);
    }
}
