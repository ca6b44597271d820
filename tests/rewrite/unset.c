/* Local variables that a call may leave unset: what lies there then was left by other frames, the recorder's among
 * them. It goes into variables, decides branches, and is recorded. */
#include <stdbool.h>
#include <stdint.h>

static volatile uint16_t ticks;
uint16_t mixed, taken, counted[4];

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#define CLOCK TCNT1

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

static void rest(void)
{
    sleep_mode();
}
#else
#include <msp430.h>
#define CLOCK TAR

__attribute__((interrupt(TIMERB0_VECTOR))) void tick(void)
{
    ticks++;
    TBCCR0 += 300;
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

static void rest(void)
{
    __bis_SR_register(LPM0_bits | GIE);
}
#endif

/* As nesC's forwards. */
__attribute__((noinline)) static bool engine_get(uint16_t *value)
{
    if (CLOCK & 1)
        return false;
    *value = 7;
    return true;
}

static inline bool info_get(uint16_t *value)
{
    bool result;
    result = engine_get(value);
    return result;
}

__attribute__((noinline)) static void always(uint8_t *byte, uint32_t *four)
{
    {
        *byte = 3;
    }
    if (CLOCK & 2)
        *four = 1;
}

__attribute__((noinline)) static uint16_t step(void)
{
    uint16_t etx;
    uint32_t wide;
    uint8_t byte;
    info_get(&etx);
    always(&byte, &wide);
    taken++;
    if (etx & 0x80)
        mixed ^= 1;
    return etx + byte + (uint16_t)(wide >> 16) + (uint16_t)wide;
}

__attribute__((noinline)) static void dirty(uint16_t n)
{
    volatile uint16_t left[6] = {n, n + 1, n + 2, n + 3, n + 4, n + 5};
    counted[n & 3] += left[n & 3];
}

int main(void)
{
    begin();
    for (;;) {
        dirty(CLOCK);
        mixed = mixed * 3 + step();
        rest();
    }
}
