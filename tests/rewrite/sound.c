/* What makes it hard to tell where an interrupt came, or by what way a value: each in a function, called again and
 * again while timers interrupt at odd times. Recorded on a MICAz, its replay must be exact. */
#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <util/atomic.h>

#include "motet.h"

static volatile uint16_t ticks, nested;
static volatile uint8_t due;
static uint32_t mixed = 1;
static uint8_t bytes[32];
static jmp_buf back;
static uint16_t kept[3] __attribute__((section(".noinit")));

static void mix(uint16_t v)
{
    mixed = mixed * 69069 + v;
}

/* ---- positions ---- */
static __attribute__((noinline)) void twice(uint8_t v)
{
    bytes[v & 31] += v;
}

static void straight(void)
{
    twice(1), twice(2);
    twice(3);
    twice(3);
}

static uint16_t recursion(uint16_t n)
{
    return n < 2 ? n : recursion(n - 1) + recursion(n - 2);
}

static uint8_t even(uint8_t n);
static uint8_t odd(uint8_t n)
{
    return n ? even(n - 1) : 0;
}
static uint8_t even(uint8_t n)
{
    return n ? odd(n - 1) : 1;
}

static void goes_back(uint8_t n)
{
again:
    bytes[n & 31]++;
    if (--n)
        goto again;
}

static void computed(uint8_t n)
{
    static void *const to[] = {&&less, &&end, &&more};
more:
    mix(n);
less:
    if (--n == 0)
        goto end;
    goto *to[n % 3 ? 0 : 2];
end:
    mix(1);
}

static void jumps(void)
{
    volatile uint8_t n = 0;
    if (setjmp(back) < 3)
        bytes[0]++;
    n++;
    if (n < 6)
        longjmp(back, n);
    mix(n);
}

static void duff(uint8_t *to, uint8_t count)
{
    uint8_t n = (count + 3) / 4;
    switch (count % 4) {
    case 0: do { *to++ += 1;
        case 3: *to++ += 3;
        case 2: *to++ += 2;
        case 1: *to++ += 1;
        } while (--n);
    }
}

static int order(const void *a, const void *b)
{
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

/* ---- values ---- */
typedef union {
    uint8_t flat;
    struct {
        uint8_t tov0 : 1, ocf0 : 1, tov1 : 1, ocf1b : 1, ocf1a : 1, icf1 : 1, tov2 : 1, ocf2 : 1;
    } bits;
} flags_t;

static volatile uint8_t *const counters[] = {&TCNT0, &TCNT2, bytes};

static uint8_t by_pointer(uint8_t i)
{
    return *counters[i % 3];
}

static uint16_t by_wide_pointer(volatile uint16_t *p)
{
    return *p;
}

static inline uint8_t nibble(uint8_t v)
{
    return v & 0x0f;
}

static uint8_t __attribute__((noinline)) clock(void)
{
    return TCNT0;
}

/* Bits on their way through functions, comparisons and variables: what does not matter is the same in every run. */
static void bits(void)
{
    uint8_t seen = 0;
    mix(nibble(TCNT0) + nibble(clock()));
    mix(clock() >> 2 & 1);
    for (uint8_t i = 0; i < 3; i++)
        seen |= TCNT2;
    mix(seen & 3);
    if (TCNT1 < 0x0400 || TCNT0 >= 0x60)
        mix(1);
}

static void values(void)
{
    bits();
    flags_t all = *(flags_t *)&TIFR;
    mix(all.flat & 0x2a);
    if (((flags_t *)&TIFR)->bits.tov1)
        TIFR = 1 << TOV1;
    mix(by_pointer((uint8_t)ticks));
    mix(by_wide_pointer(&TCNT1) + by_wide_pointer((uint16_t *)bytes));
    memcpy(bytes + 4, (const void *)&TCNT0, 1);
    uint8_t n = 50;
    while (!(UCSR0A & (1 << RXC0)) && --n)
        ;
    mix(n);
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        mix(due ? TCNT0 : TCNT2);
        for (uint8_t i = 0; i < 3; i++)
            mix(i);
    }
    mix(({
        uint8_t low = TCNT1L;
        (uint8_t)(low & 0x0f);
    }));
    switch (TCNT0 & 3) {
    case 0: mix(3); /* fall through */
    case 1: mix(TCNT2 & 1); break;
    default: mix(4);
    }
    eeprom_read_block(bytes + 8, (const void *)(ticks % 64), 5);
    EEAR = ticks % 64;
    EECR |= 1 << EERE;
    mix(EEDR);
    motet_filled(bytes, 16);
}

/* ---- interrupts ---- */
ISR(TIMER1_COMPA_vect)
{
    ticks++;
    due = 1;
    for (uint8_t i = 0; i < 4; i++)
        bytes[16 + i] ^= i;
}

ISR(TIMER0_OVF_vect, ISR_NOBLOCK)
{
    nested++;
    uint8_t n = TCNT1L & 7;
    while (n--)
        bytes[20] += n;
}

ISR(TIMER2_OVF_vect, ISR_NAKED)
{
    __asm__ volatile("push r24\n\tin r24, __SREG__\n\tpush r24\n\tpop r24\n\tout __SREG__, r24\n\tpop r24\n\treti");
}

ISR_ALIAS(TIMER3_OVF_vect, TIMER1_COMPA_vect);
EMPTY_INTERRUPT(TIMER3_COMPA_vect)

int main(void)
{
    mix(MCUCSR);
    mix(kept[0] + kept[1]);
    kept[2] += 1;
    OCR1A = 39989; /* seldom enough for the slowest codec: TIMER0_OVF lets itself in */
    TCCR1B = 1 << WGM12 | 1 << CS10;
    TCCR0 = 1 << CS02 | 1 << CS01;
    TCCR2 = 1 << CS22;
    TCCR3B = 1 << CS30;
    OCR3A = 40000;
    ETIMSK = 1 << TOIE3 | 1 << OCIE3A;
    TIMSK = 1 << OCIE1A | 1 << TOIE0 | 1 << TOIE2;
    set_sleep_mode(SLEEP_MODE_IDLE);
    sei();
    for (uint8_t round = 0;; round++) {
        straight();
        mix(recursion(5));
        mix(even(round & 7));
        goes_back(5);
        computed(7);
        jumps();
        duff(bytes, 4 + (round & 15));
        qsort(bytes, 16, 1, order);
        values();
        for (uint8_t rest = 0; rest < 40; rest++) { /* time for the recorder */
            due = 0;
            cli();
            while (!due) {
                sleep_enable();
                sei();
                sleep_cpu();
                sleep_disable();
                cli();
            }
            sei();
        }
    }
}
