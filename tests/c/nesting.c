/* Interrupts inside interrupts: a slow one that lets others in, and what runs meanwhile keeps its values. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#include "check.h"

static volatile uint16_t slow, fast, nested;
static volatile uint8_t in_slow;
static volatile uint32_t guarded;

ISR(TIMER1_COMPA_vect, ISR_NOBLOCK)
{
    in_slow++;
    uint32_t sum = 0;
    for (uint8_t i = 0; i < 60; i++)
        sum = sum * 31 + i + slow;
    slow += sum != 1;
    in_slow--;
}

ISR(TIMER1_COMPB_vect)
{
    fast++;
    nested += in_slow != 0;
    guarded += 0x10001;
}

static distinct uint32_t take(void)
{
    uint32_t copy;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        copy = guarded;
    }
    return copy;
}

int main(void)
{
    OCR1A = 29999;
    OCR1B = 150; /* while the other, which began 150 cycles before, still runs */
    TCCR1B = 1 << WGM12 | 1 << CS10;
#ifdef TIMSK1
    TIMSK1 = 1 << OCIE1A | 1 << OCIE1B;
#else
    TIMSK = 1 << OCIE1A | 1 << OCIE1B;
#endif
    sei();
    uint32_t sum = 0;
    while (slow < 40) {
        uint32_t seen = take();
        check((seen >> 16) == (seen & 0xffff)); /* never half changed */
        sum += seen;
    }
    check(SREG & 0x80);
    cli();
    check(fast >= 39 && fast <= 41 && nested >= 38 && in_slow == 0);
    check(opaque(sum) != 1);
    exit(0);
}
