/* A queue whose length a handler increments and the main program decrements, which is not atomic. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdlib.h>

static volatile uint8_t length, due, put;
static uint8_t taken;

ISR(TIMER0_COMPA_vect)
{
    length++;
    put++;
}

ISR(TIMER2_COMPA_vect)
{
    due = 1;
}

int main(void)
{
    OCR0A = OCR2A = 249;
    TCCR0A = TCCR2A = 1 << WGM01;
    TIMSK0 = TIMSK2 = 1 << OCIE0A;
    TCNT2 = 150;
    TCCR0B = 1 << CS01 | 1 << CS00;
    TCCR2B = 1 << CS22;
    sei();
    for (;;) {
        sleep_mode();
        if (!due)
            continue;
        due = 0;
        if (length) {
            length = (uint8_t)(length - 1); /* not atomic */
            taken++;
        }
        cli();
        if ((uint8_t)(put - taken) != length)
            abort();
        sei();
    }
}
