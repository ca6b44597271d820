/* A timer whose interrupt counts `ticks`, which is declared before, and wakes the CPU; and a second one, COUNTER. */
#ifndef TESTS_WAKER_H
#define TESTS_WAKER_H

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#define COUNTER TCNT1

ISR(TIMER0_COMP_vect)
{
    ticks++;
}

static void begin(void)
{
    TCCR1B = 1 << CS10;
    OCR0 = 40;
    TCCR0 = 1 << WGM01 | 1 << CS02;
    TIMSK = 1 << OCIE0;
    sei();
}

static void wait(void)
{
    sleep_mode();
}
#else
#include <msp430.h>

#define COUNTER TAR

__attribute__((interrupt(TIMERB0_VECTOR))) void tick(void)
{
    ticks++;
    TBCCR0 += 900;
    __bic_SR_register_on_exit(LPM0_bits);
}

static void begin(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    TACTL = TASSEL_2 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCTL0 = CCIE;
    __enable_interrupt();
}

static void wait(void)
{
    __bis_SR_register(LPM0_bits | GIE);
}
#endif

#endif
