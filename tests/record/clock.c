/* Time from a timer and its overflow flag, as Arduino's micros() has it: never goes back. */
#include <avr/interrupt.h>
#include <avr/io.h>

volatile uint32_t overflows;
volatile uint16_t back, rounds;

ISR(TIMER0_OVF_vect)
{
    overflows++;
}

static uint32_t now(void)
{
    uint32_t m;
    uint8_t was = SREG, t;
    cli();
    m = overflows;
    t = TCNT0;
    if ((TIFR0 & (1 << TOV0)) && (t < 255))
        m++;
    SREG = was;
    return (m << 8) + t;
}

int main(void)
{
    uint32_t last = 0;
    TCCR0B = 1 << CS01;
    TIMSK0 = 1 << TOIE0;
    sei();
    for (;;) {
        uint32_t time = now();
        if (time < last)
            back++;
        last = time;
        rounds++;
    }
}
