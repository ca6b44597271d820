/* Loops of which only one round in several counts (src/rewrite/rounds.h), interrupted at every instruction sooner or
 * later: a timer comes after as many cycles as no two rounds have in common. Its handler changes what the loops work
 * with, so that an interrupt in another round gives other results. SEED: other moments. */
#include <stdint.h>
#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#else
#include <msp430.h>
#endif

#ifndef SEED
#define SEED 1
#endif

volatile uint8_t bias = 1;
volatile uint16_t ticks;
static uint16_t seed = SEED, sum;
static uint8_t bytes[48], others[48], matrix[3][16];

static uint16_t any(void)
{
    seed = (uint16_t)(seed * 25173u + 13849u);
    return seed >> 3;
}

#ifdef __AVR__
ISR(TIMER1_COMPA_vect)
{
    OCR1A += 6000 + (any() & 0x1fff);
    ticks++;
    bias = (uint8_t)(bias + 3);
}
static void set_up(void)
{
    OCR1A = 5000;
    TCCR1B = 1 << CS10;
#ifdef TIMSK1
    TIMSK1 = 1 << OCIE1A;
#else
    TIMSK = 1 << OCIE1A;
#endif
    sei();
}
#else
INTERRUPT(TIMERB0_VECTOR, tick)
{
    TBCCR0 += 8000 + (any() & 0x1fff);
    ticks++;
    bias = (uint8_t)(bias + 3);
}
static void set_up(void)
{
    BCSCTL1 = 0x87;
    DCOCTL = 0xc8;
    TBCCR0 = 5000;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_2 | MC_2 | TBCLR;
    __eint();
}
#endif

static uint16_t crc(const uint8_t *data, uint8_t size)
{
    uint16_t of = bias;
    for (uint8_t i = 0; i < size; i++) {
        of ^= data[i];
        for (uint8_t bit = 0; bit < 8; bit++)
            of = of & 1 ? of >> 1 ^ 0xa001 : of >> 1;
    }
    return of;
}

/* A counter that comes round, several times if `times` is more than one. */
__attribute__((noinline)) static uint16_t wraps(uint8_t from, uint8_t to, uint8_t times)
{
    uint16_t of = 0;
    do
        do
            of += bias;
        while (++from != to);
    while (--times);
    return of;
}

/* Rounds that are left early, before and after the count goes down. */
__attribute__((noinline)) static uint16_t goes_on(uint16_t of, uint8_t n)
{
    for (uint8_t outer = 0; outer < 3; outer++)
        for (uint8_t i = n; i; i--) {
            if (of & 1) {
                of >>= 1;
                continue;
            }
            of = (uint16_t)(of + 0x1235);
            if (of == i)
                break;
            if (of & 2) {
                i -= i > 3 ? 2 : 0;
                continue;
            }
            of ^= bias;
        }
    return of;
}

/* The same loop at several depths of the stack, and once more on the way back. */
__attribute__((noinline)) static uint16_t deep(uint8_t n)
{
    uint16_t of = n;
    for (uint8_t i = 0; i < (n & 7) + 2; i++)
        of = (uint16_t)(of * 2 + bytes[i]);
    if (n)
        of += deep(n - 1);
    for (uint8_t i = 0; i < 5; i++)
        of ^= (uint16_t)(of << 1);
    return of;
}

/* The loop is begun in its middle. */
__attribute__((noinline)) static uint8_t begun_within(uint8_t n, uint8_t at)
{
    uint8_t of = bias;
    switch (at & 3)
        do {
        case 0: of += 3;
        case 1: of ^= bytes[n];
        case 2: of = (uint8_t)(of << 1);
        case 3: of -= n;
        } while (n-- > 1);
    return of;
}

static void copies(uint8_t *to, const uint8_t *from, uint8_t n)
{
    while (n--)
        *to++ = (uint8_t)(*from++ + 1);
}

static uint8_t finds(const uint8_t *in, uint8_t n, uint8_t what)
{
    uint8_t i = 0;
    while (i < n && in[i] != what)
        i++;
    return i;
}

static uint8_t ones(uint32_t of)
{
    uint8_t n = 0;
    while (of) {
        of &= of - 1;
        n++;
    }
    return n;
}

static void sorts(uint8_t *what, uint8_t n)
{
    for (uint8_t i = 1; i < n; i++) {
        uint8_t one = what[i], k = i;
        for (; k && what[k - 1] > one; k--)
            what[k] = what[k - 1];
        what[k] = one;
    }
}

static void multiplies(void)
{
    for (uint8_t row = 0; row < 4; row++)
        for (uint8_t column = 0; column < 4; column++) {
            uint8_t of = 0;
            for (uint8_t i = 0; i < 4; i++)
                of += (uint8_t)(matrix[0][row * 4 + i] * matrix[1][i * 4 + column]);
            matrix[2][row * 4 + column] = of;
        }
}

/* Assembly with numbers for labels, as the step itself has. */
static uint16_t skips(uint8_t n)
{
    uint16_t of = n;
    for (uint8_t outer = 0; outer < 4; outer++)
        for (uint8_t i = 0; i < n; i++)
#ifdef __AVR__
            __asm__ volatile("sbrs %A0,0\n\trjmp 1f\n\tinc %B0\n1:\tinc %A0" : "+r"(of));
#else
            __asm__ volatile("bit #1,%0\n\tjz 1f\n\tswpb %0\n1:\tinc %0" : "+r"(of) : : "r2");
#endif
    return of;
}

/* Waits for the handler. */
static uint16_t waits(void)
{
    uint16_t rounds = 0, last = ticks;
    while (ticks == last)
        rounds++;
    return rounds;
}

int main(void)
{
    set_up();
    for (;;) {
        uint16_t which = any();
        sum += crc(bytes, 12);
        sum += wraps((uint8_t)which, (uint8_t)(which >> 5), 1 + (which & 1));
        sum ^= goes_on(sum, 20 + (which & 7));
        sum += deep(which & 3);
        sum += begun_within(9, (uint8_t)which);
        copies(others, bytes, sizeof others);
        sum += finds(others, sizeof others, (uint8_t)sum);
        sum += ones((uint32_t)sum * which);
        sorts(others, 12);
        multiplies();
        sum += skips(which & 15);
        if (!(which & 31))
            sum += waits();
        bytes[which % sizeof bytes] = (uint8_t)sum;
        matrix[which & 1][which >> 4 & 15] = (uint8_t)sum;
    }
}
