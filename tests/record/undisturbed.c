/* Never sleeps, with an interrupt each millisecond. WORK: it calculates; else it reads a register all the time. */
#include <avr/interrupt.h>
#include <avr/io.h>

volatile uint16_t ticks, sum;
volatile uint32_t rounds;

#ifdef TIMER0_COMPA_vect
ISR(TIMER0_COMPA_vect)
#else
ISR(TIMER0_COMP_vect)
#endif
{
    ticks++;
}

#ifdef WORK
static uint8_t message[64];

static uint16_t work(void)
{
    uint16_t crc = 0;
    for (uint8_t i = 0; i < sizeof message; i++) {
        crc ^= message[i];
        for (uint8_t bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
    }
    message[rounds % sizeof message]++;
    return crc;
}
#else
static uint16_t work(void)
{
    return TCNT0;
}
#endif

int main(void)
{
#ifdef TIMER0_COMPA_vect /* of 16 MHz */
    OCR0A = 249;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
    TIMSK0 = 1 << OCIE0A;
#else /* of 7.3728 MHz */
    OCR0 = 114;
    TCCR0 = 1 << WGM01 | 1 << CS02;
    TIMSK = 1 << OCIE0;
#endif
    sei();
    for (;;) {
        sum += work();
        rounds++;
    }
}
