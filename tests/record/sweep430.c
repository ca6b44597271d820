/* As sweep.c, on an MSP430: every entry of the recorder, interrupted at every instruction sooner or later, so often
 * that the ring is nearly full now and then. SEED: other moments. */
#include <msp430.h>
#include <stdint.h>
#include <string.h>

#ifndef SEED
#define SEED 1
#endif

static volatile uint16_t ticks, nested, sum;
static const volatile uint8_t *volatile somewhere;
static uint8_t bytes[24], copies[24], walked;
static uint16_t seed = SEED;

static uint16_t any(void)
{
    seed = (uint16_t)(seed * 25173u + 13849u);
    return seed >> 3;
}

/* Lets the other one in. */
INTERRUPT_WAKING(TIMERB1_VECTOR, slow)
{
    (void)TBIV;
    ticks++;
    TBCCR1 = TBR + 2600 + (any() & 0x7ff);
    TBCCTL1 = 0;
    __eint();
    sum += TBR;
    sum ^= *somewhere;
    __dint();
    TBCCTL1 = CCIE;
}

INTERRUPT_WAKING(TIMERB0_VECTOR, fast)
{
    nested++;
    TBCCR0 += 9000 + (any() & 0xfff);
}

static uint16_t deep(uint8_t n)
{
    return n ? (uint16_t)(deep(n - 1) + P2IN) : (uint16_t)(ticks / 7u);
}

static void entries(void)
{
    static uint8_t from[4];
    sum += P1IN;
    sum += TBR;
    for (uint8_t i = 0; i < 10; i++) /* at one site: bytes in one unit */
        sum += P6IN;
    for (uint8_t i = 0; i < 6; i++) /* at one site: each mostly one more than the last is only counted */
        sum += TBR;
    somewhere = &P5IN;
    sum += *somewhere;
    from[0] = (uint8_t)sum;
    somewhere = from;
    sum += *somewhere;
    somewhere = &P2IN;
    sum += *(volatile uint16_t *)(ticks & 1 ? (volatile void *)&TBR : (volatile void *)&nested);
    __dint(); /* with interrupts off */
    sum += P1IN + TBR;
    __eint();
    memcpy(copies, bytes, sizeof bytes);
    bytes[sum % sizeof bytes] += (uint8_t)(sum / 13u);
    sum += deep(3);
}

/* So many steps without an event that their count comes round. */
static void walk(void)
{
    __dint();
    for (uint32_t i = 0; i < 70000; i++)
        __asm__ volatile("nop");
    __eint();
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xc8;
    somewhere = &P5IN;
    TBCCR0 = 8000;
    TBCCR1 = 3000;
    TBCCTL0 = TBCCTL1 = CCIE;
    TBCTL = TBSSEL_2 | MC_2 | TBCLR;
    __eint();
    for (uint8_t round = 0;; round++) {
        entries();
        if (round % 8 == 7)
            __bis_status_register(GIE | CPUOFF);
        if (round == 64 && !walked) {
            walked = 1;
            walk();
        }
    }
}
