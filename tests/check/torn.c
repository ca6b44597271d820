/* A 16-bit number that a handler counts and the main program reads in two instructions, at times when the handler has
 * long been served: the two halves come from different numbers only if that interrupt is late. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdlib.h>

static volatile uint16_t count;
static volatile uint8_t due;

ISR(TIMER0_COMPA_vect)
{
    count++;
}

ISR(TIMER2_COMPA_vect)
{
    due = 1;
}

int main(void)
{
    uint16_t last = 0;
    OCR0A = OCR2A = 249; /* a millisecond */
    TCCR0A = TCCR2A = 1 << WGM01;
    TIMSK0 = TIMSK2 = 1 << OCIE0A;
    TCNT2 = 150; /* 0.6 ms later */
    TCCR0B = 1 << CS01 | 1 << CS00;
    TCCR2B = 1 << CS22;
    sei();
    for (;;) {
        sleep_mode();
        if (!due)
            continue;
        due = 0;
        uint16_t now = count; /* not atomic */
        if ((uint16_t)(now - last) > 20)
            abort();
        last = now;
    }
}
