/* A timer that interrupts often, and that can be read, for levels.c. */
#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>

#define HANDLER ISR(TIMER1_COMPA_vect)

static inline void port_acknowledge(void) {}

static inline uint8_t port_read(void)
{
    return TCNT1L;
}

static inline void port_start(void)
{
    OCR1A = 3011;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    TIMSK1 = 1 << OCIE1A;
    sei();
}
#else
#include <msp430.h>

#define HANDLER                                                           \
    __attribute__((interrupt(TIMERA0_VECTOR), used)) void on_timer(void); \
    __attribute__((interrupt(TIMERA0_VECTOR), used)) void on_timer(void)

static inline void port_acknowledge(void) {}

static inline uint8_t port_read(void)
{
    return (uint8_t)TAR;
}

static inline void port_start(void)
{
    TACCR0 = 3011;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    __asm__ volatile("nop\n\teint\n\tnop" ::: "memory");
}
#endif
