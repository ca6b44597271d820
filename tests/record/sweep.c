/* Every entry of the recorder, interrupted at every instruction sooner or later: a timer comes after as many cycles as
 * no two rounds have in common, in handlers too, and so often that the ring is nearly full now and then. LIVES: a
 * watchdog ends each life after a time of its own, wherever it finds the recorder. SEED: other moments. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <string.h>

#ifdef OCR2A /* ATmega2560 */
#define FAST_vect   TIMER2_COMPA_vect
#define FAST_OCR    OCR2A
#define FAST_MASK   TIMSK2
#define FAST_ENABLE (1 << OCIE2A)
#define FAST_START  (TCCR2A = 1 << WGM21, TCCR2B = 1 << CS21 | 1 << CS20)
#else
#define FAST_vect   TIMER2_COMP_vect
#define FAST_OCR    OCR2
#define FAST_MASK   TIMSK
#define FAST_ENABLE (1 << OCIE2)
#define FAST_START  (TCCR2 = 1 << WGM21 | 1 << CS21 | 1 << CS20)
#endif
#ifdef TIMSK1
#define SLOW_MASK TIMSK1
#else
#define SLOW_MASK TIMSK
#endif
#ifndef SEED
#define SEED 1
#endif

static volatile uint16_t ticks, nested, sum;
static volatile uint8_t *volatile somewhere;
static uint8_t bytes[24], copies[24], walked;
uint16_t seed __attribute__((section(".noinit"))), lives __attribute__((section(".noinit")));

static uint16_t any(void)
{
    seed = (uint16_t)(seed * 25173u + 13849u);
    return seed >> 3;
}

/* Lets the other one in. */
ISR(TIMER1_COMPA_vect)
{
    ticks++;
    OCR1A += 900 + (any() & 0x3ff);
    SLOW_MASK &= (uint8_t) ~(1 << OCIE1A);
    sei();
    sum += TCNT1;
    sum ^= *somewhere;
    cli();
    SLOW_MASK |= 1 << OCIE1A;
}

ISR(FAST_vect)
{
    nested++;
    FAST_OCR = (uint8_t)(170 + (any() & 0x3f));
}

/* Never half of it: PINE's low byte and RAM's high one are an address in the recorder's own memory on mega-flash, and
 * what a handler reads there is not in the log. */
static void point(volatile uint8_t *to)
{
    cli();
    somewhere = to;
    sei();
}

static uint16_t deep(uint8_t n)
{
    return n ? (uint16_t)(deep(n - 1) + PINC) : (uint16_t)(ticks / 7u);
}

static void entries(void)
{
    static uint8_t from[4];
    sum += PINA;
    sum += TCNT1;
    for (uint8_t i = 0; i < 10; i++) /* at one site: bytes in one unit */
        sum += PIND;
    point(&PINE);
    sum += *somewhere;
    point(from);
    *somewhere = (uint8_t)sum;
    sum += *somewhere;
    point(&PINF);
    sum += *(volatile uint16_t *)(ticks & 1 ? (volatile void *)&TCNT1 : (volatile void *)&nested);
    memcpy(copies, bytes, sizeof bytes);
    bytes[sum % sizeof bytes] += (uint8_t)(sum / 13u);
    sum += deep(3);
}

/* So many steps without an event that their count comes round. */
static void walk(void)
{
    cli();
    for (uint32_t i = 0; i < 70000; i++)
        __asm__ volatile("nop");
    sei();
}

static void doze(void)
{
    cli();
    sleep_enable();
    sei();
    sleep_cpu();
    sleep_disable();
}

int main(void)
{
    somewhere = &PINB;
#ifdef LIVES
    if (MCUCSR & 1 << PORF)
        lives = 0;
    MCUCSR = 0;
    seed = ++lives;
    for (uint16_t i = any() & 0x7ff; i; i--)
        __asm__ volatile("nop");
    wdt_enable(WDTO_60MS);
#else
    seed = SEED;
#endif
    OCR1A = 1000;
    TCCR1B = 1 << CS10;
    FAST_OCR = 200;
    FAST_START;
    FAST_MASK |= FAST_ENABLE;
    SLOW_MASK |= 1 << OCIE1A;
    sei();
    for (uint8_t round = 0;; round++) {
        entries();
        if (round % 8 == 7)
            doze();
        if (round == 64 && !walked) {
            walked = 1;
            walk();
        }
    }
}
