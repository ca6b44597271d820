/* Records for ever: a timer's interrupts and reads of counters in busy code, with memory that changes here and there,
 * so that the log goes round in the flash and checkpoints are taken. */
#include "motet_record.h"

static volatile uint16_t ticks;
static uint16_t table[200];
static uint32_t sum;

#if defined __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>

MOTET_VECTOR(15);
ISR(TIMER0_COMP_vect)
{
    MOTET_STEP();
    ticks++;
    sum += motet_read8(TCNT0, 0xff, MOTET_SITE(MOTET_TIMER, 0));
}

static void start(void)
{
    OCR0 = 90;
    TCCR0 = 1 << WGM01 | 1 << CS02 | 1 << CS01; /* every 25600 cycles */
    TIMSK = 1 << OCIE0;
    sei();
}

static uint8_t counter(void)
{
    return TCNT0;
}

#else
#include <msp430.h>

MOTET_VECTOR(12, tick);
__attribute__((interrupt(63))) void tick(void);
__attribute__((interrupt(63))) void tick(void)
{
    MOTET_STEP();
    ticks++;
    TACCR0 += 18000;
    sum += motet_read16(TAR, 0xffff, MOTET_SITE(MOTET_TIMER, 0));
}

static void start(void)
{
    BCSCTL1 |= RSEL2 | RSEL1 | RSEL0; /* as fast as it goes */
    DCOCTL = 0xe0;
    TACCR0 = 9000;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_2;
    __asm__ volatile("eint");
}

static uint8_t counter(void)
{
    return (uint8_t)TAR;
}
#endif

int main(void)
{
    motet_boot();
    start();
    for (uint16_t i = 1;; i++) {
        MOTET_STEP();
        sum += 0x12345678ul / i;
        if (i % 16 == 0)
            table[sum % 200] += motet_read8(counter() & 0x3f, 0x3f, MOTET_SITE(MOTET_STATE, 1)) * 257;
        if (i % 8 == 0)
            motet_idle();
    }
}
