/* Loops of which not each read is recorded (polls, waits, counters read until they are the same twice), at every level
 * of optimisation: nothing that they leave in memory or in registers may be seen afterwards. */
#include <stdint.h>

uint16_t table[16];
uint8_t flags[4];
static volatile uint16_t ticks, mixed, seen;

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>

#define COUNTER TCNT1
#define SECOND  TCNT1
#define NARROW  TCNT0
#define FLAG    (TIFR & 1 << OCF1A)
#define READY   (UCSR0A & 1 << UDRE0)
#define FLAGS   SREG

ISR(TIMER0_COMP_vect)
{
    ticks++;
    OCR0 += 77;
}

static void begin(void)
{
    TCCR1B = 1 << CS11;
    TCCR0 = 1 << CS02;
    TIMSK = 1 << OCIE0;
    UBRR0L = 3;
    UCSR0B = 1 << TXEN0;
    sei();
}

static void again(void)
{
    TIFR = 1 << OCF1A;
    OCR1A = TCNT1 + 100;
}

static uint8_t send(uint8_t c)
{
    return UDR0 = c;
}
#else
#include <msp430.h>

#define COUNTER TAR
#define SECOND  TBR
#define NARROW  P1IN
#define FLAG    (TACCTL1 & CCIFG)
#define READY   (IFG2 & UTXIFG1)
#define FLAGS   READ_SR

__attribute__((interrupt(TIMERA0_VECTOR))) void tick(void)
{
    ticks++;
    TACCR0 += 776;
}

static void begin(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
    TACTL = TASSEL_2 | ID_3 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    TACCTL0 = CCIE;
    P3SEL |= 0xc0;
    ME2 |= UTXE1;
    UCTL1 = CHAR;
    UTCTL1 = SSEL1;
    UBR01 = 9;
    __enable_interrupt();
}

static void again(void)
{
    TACCTL1 = 0;
    TACCR1 = TAR + 100;
}

static uint8_t send(uint8_t c)
{
    return TXBUF1 = c;
}
#endif

static uint16_t twice(void)
{
    uint16_t a, b;
    do {
        a = COUNTER;
        b = COUNTER;
    } while (a != b);
    return a;
}

static uint16_t as_before(void)
{
    uint16_t a, b = SECOND;
    do {
        a = b;
        b = SECOND;
    } while (a != b);
    return b;
}

static uint8_t narrow(void)
{
    uint8_t a, b;
    do {
        a = NARROW;
        b = NARROW;
    } while (b != a);
    return a ^ b;
}

static uint8_t poll(uint8_t kind)
{
    uint8_t rounds = 0;
    switch (kind) {
    case 0:
        while (!READY)
            ;
        return send(kind);
    case 1: do {
        } while (!READY);
        return send(kind);
    case 2:
        for (;;)
            if (READY)
                break;
        return send(kind);
    case 3:
        for (; !READY;)
            continue;
        return send(kind);
    case 4:
        while (!READY && ++rounds)
            ;
        return send(rounds);
    case 5:
    again:
        if (!READY)
            goto again;
        return send(kind);
    default:
        again();
        while (!FLAG)
            ;
        return kind;
    }
}

/* While others are in registers, so that what was polled is in one that is not used soon. */
__attribute__((noinline)) static uint8_t held(uint8_t a, uint16_t b)
{
    uint8_t c = NARROW, d = NARROW;
    while (!READY)
        ;
    return send(a) + b + c + d + NARROW;
}

static void wait(uint16_t counts)
{
    uint16_t from = COUNTER;
    while (COUNTER - from <= counts)
        ;
}

/* The CPU's flags, kept where a value was tested before it was recorded; and a wait that the compiler works out by
 * shifting. */
static void keep_flags(void)
{
    if (READY)
        table[0]++;
    flags[0] = (uint8_t)FLAGS;
    if ((COUNTER & 7) == 3)
        table[1]++;
    flags[1] = (uint8_t)FLAGS;
    while (!(COUNTER & 0x20))
        ;
    flags[2] = (uint8_t)FLAGS;
}

__attribute__((noinline)) static uint16_t deep(uint16_t n)
{
    volatile uint16_t kept = n;
    return n ? deep(n - 1) + kept : twice() ^ narrow();
}

int main(void)
{
    begin();
    for (;;) {
        uint16_t a, b;
        do {
            a = SECOND;
            b = SECOND;
        } while (a != b);
        for (uint8_t i = 0; i < 3; i++)
            mixed += twice() + as_before() * 3 + (a & b);
        table[mixed % 16] ^= deep(mixed & 7) + a + b;
        wait(mixed & 31);
        keep_flags();
        table[2] += held(mixed, a);
        seen += poll(mixed % 8);
    }
}
