/* Never sleeps, with an interrupt each millisecond. WORK: it calculates; SLOW: in long rounds, with fewer steps than
 * the count has; else it reads a register all the time. */
#include <stdint.h>
#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#else
#include <msp430.h>
#endif

volatile uint16_t ticks, sum;
volatile uint32_t rounds;

#if defined TIMER0_COMPA_vect
ISR(TIMER0_COMPA_vect)
#elif defined __AVR__
ISR(TIMER0_COMP_vect)
#else
INTERRUPT(TIMERB0_VECTOR, tick)
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
#elif defined SLOW
static uint16_t work(void)
{
    uint16_t of = (uint16_t)rounds;
    for (uint8_t i = 0; i < 8; i++) {
#define MORE of = (uint16_t)(of * 25173u + 13849u), of ^= of >> 7
        MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE;
    }
    return of;
}
#elif defined __AVR__
static uint16_t work(void)
{
    return TCNT0;
}
#else
static uint16_t work(void)
{
    return TBR;
}
#endif

static void set_up(void)
{
#if defined TIMER0_COMPA_vect /* of 16 MHz */
    OCR0A = 249;
    TCCR0A = 1 << WGM01;
    TCCR0B = 1 << CS01 | 1 << CS00;
    TIMSK0 = 1 << OCIE0A;
    sei();
#elif defined __AVR__ /* of 7.3728 MHz */
    OCR0 = 114;
    TCCR0 = 1 << WGM01 | 1 << CS02;
    TIMSK = 1 << OCIE0;
    sei();
#else                 /* of 4 MHz; the timer counts the crystal */
    BCSCTL1 = 0x87;
    DCOCTL = 0xc8;
    TBCCR0 = 32;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_1 | TBCLR;
    __eint();
#endif
}

int main(void)
{
    set_up();
    for (;;) {
        sum += work();
        rounds++;
    }
}
