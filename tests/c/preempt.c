/* A busy interrupt must leave no trace in what it interrupts: the same sums come out, at every alignment of the two. */
#include <avr/interrupt.h>
#include <avr/io.h>

#include "check.h"

static volatile uint16_t interrupts;
static volatile uint32_t product = 1;
static volatile float real = 1;

ISR(TIMER1_COMPA_vect)
{
    interrupts++;
    product = product * 1664525UL + 1013904223UL;
    real = real * 1.5f;
    if (real > 1000)
        real = real / 1000;
}

static distinct uint32_t work(uint16_t seed)
{
    uint32_t sum = seed;
    uint64_t wide = seed;
    float f = seed;
    for (uint8_t i = 1; i < 12; i++) {
        wide = wide * 0x5851f42d4c957f2dULL + i;
        check_mix(&sum, (uint32_t)(wide >> 32) / i);
        f = f * 0.75f + (int16_t)(wide >> 48);
        check_mix(&sum, (uint32_t)(int32_t)f);
        check_mix(&sum, sum << (i & 7));
    }
    return sum;
}

int main(void)
{
    static uint32_t expected[8];
    for (uint8_t i = 0; i < 8; i++)
        expected[i] = work(i);
    OCR1A = 1201; /* longer than the interrupt takes at -O0, and of no common period with the work */
    TCCR1B = 1 << WGM12 | 1 << CS10;
#ifdef TIMSK1
    TIMSK1 = 1 << OCIE1A;
#else
    TIMSK = 1 << OCIE1A;
#endif
    sei();
    for (uint16_t n = 0; n < 400; n++)
        check(work(n & 7) == expected[n & 7]);
    cli();
    check(interrupts > 300);
    uint32_t alone = 1;
    for (uint16_t i = 0; i < interrupts; i++)
        alone = alone * 1664525UL + 1013904223UL;
    check(product == alone);
    exit(0);
}
