/* Loops that wait for a comparison with a register, of which nothing is recorded: while interrupts come in them, and as
 * measure of the time that passes. waits.lua looks at what was measured. */
#include <stdint.h>

uint16_t jiffy; /* cycles in a period of the 32 kHz crystal */
uint16_t waits, mixed;
uint8_t flags[8]; /* of the CPU after a wait: what the comparison left there is not used */
static volatile uint16_t ticks;

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>

#define COUNTER TCNT3
#define SECOND  TCNT1
#define FLAGS   SREG

ISR(TIMER2_COMP_vect)
{
    ticks++;
    OCR2 += 97;
}

static void begin(void)
{
    uint16_t start;
    uint8_t now;
    TCCR1B = 1 << CS10;
    ASSR = 1 << AS0;
    TCCR0 = 1 << CS01 | 1 << CS00; /* 32 periods a step */
    now = TCNT0;
    while (TCNT0 == now)
        ;
    now = TCNT0;
    while (TCNT0 == now)
        ;
    start = TCNT1;
    now = TCNT0;
    do {
    } while (TCNT0 == now);
    jiffy = (TCNT1 - start + 16) >> 5;
    TCCR3B = 1 << CS31;
    TCCR2 = 1 << CS21;
    TIMSK = 1 << OCIE2;
    sei();
}
#else
#include <msp430.h>

#define COUNTER TAR
#define SECOND  TBR
#define FLAGS   READ_SR

__attribute__((interrupt(TIMERA0_VECTOR))) void tick(void)
{
    ticks++;
    TACCR0 += 776;
}

static void begin(void)
{
    uint16_t start, now;
    TACTL = TASSEL_2 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    now = TBR;
    while (TBR == now)
        ;
    start = TAR;
    now = TBR + 31;
    while ((int16_t)(TBR - now) < 0)
        ;
    jiffy = (TAR - start + 16) >> 5;
    TACCTL0 = CCIE;
    __enable_interrupt();
}
#endif

static void wait(uint16_t counts)
{
    uint16_t from = COUNTER;
    while (COUNTER - from <= counts)
        ;
}

/* What is compared is calculated by routines of the library, in which interrupts come. */
static void wait_by(uint16_t counts, uint8_t by)
{
    enum { LEAST = 1 << 3 };
    uint16_t from = COUNTER;
    while ((uint16_t)(COUNTER - from) / by < counts)
        ;
    from = COUNTER;
    while ((uint16_t)(COUNTER - from) * (uint32_t)by < counts)
        ;
    from = COUNTER;
    while ((uint16_t)(COUNTER - from) < LEAST)
        ;
}

int main(void)
{
#ifdef __MSP430__
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
#endif
    begin();
    for (;;) {
        uint16_t until = COUNTER + 100 + mixed % 512;
        wait(mixed % 256);
        while ((int16_t)(until - COUNTER) > 0 && !(ticks & 0x8000))
            ;
        flags[waits % 8] = (uint8_t)FLAGS;
        for (uint8_t i = mixed % 4; i; i--)
            wait(i * 8);
        if (waits % 4 == 0)
            wait_by(mixed % 16, waits % 5 + 2);
        mixed = mixed * 31 + ticks + SECOND;
        waits++;
    }
}
