/* The same for the MSP430, recorded on a TelosB: vectors that clear themselves, a counter of another clock, sleep. */
#include <msp430.h>
#include <stdint.h>
#include <string.h>

static volatile uint16_t ticks;
static volatile uint8_t due;
static uint32_t mixed = 1;
static uint8_t bytes[16];
static volatile uint8_t IFG1nr __asm__("0x0002");

typedef struct {
    unsigned ccifg : 1, cov : 1, out : 1, cci : 1, ccie : 1, rest : 11;
} control_t;

static void mix(uint16_t v)
{
    mixed = mixed * 69069 + v;
}

static __attribute__((noinline)) void twice(uint8_t v)
{
    bytes[v & 15] += v;
}

static uint16_t recursion(uint16_t n)
{
    return n < 2 ? n : recursion(n - 1) + recursion(n - 2);
}

static uint16_t now(void)
{
    uint16_t a, b;
    do {
        a = TBR;
        b = TBR;
    } while (a != b);
    return a;
}

static uint16_t now_again(void)
{
    uint16_t a, b = TBR;
    do {
        a = b;
        b = TBR;
    } while (a != b);
    return b;
}

static uint8_t by_pointer(volatile uint8_t *p)
{
    return *p;
}

static void values(void)
{
    control_t c = *(control_t *)&TBCCTL0;
    mix(c.cci + c.ccifg);
    mix(((control_t *)&TACCTL1)->cov);
    mix(IFG1nr & 2);
    mix(now() ^ now_again());
    mix(by_pointer((volatile uint8_t *)&P1IN) + by_pointer(bytes));
    mix(*(uint8_t *)0x10f8);
    memcpy(bytes, (const void *)&P1IN, 1);
    uint8_t n = 30;
    while (!(IFG2 & URXIFG1) && --n)
        ;
    mix(n);
}

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    TBCCR0 += 301;
    ticks++;
    due = 1;
}

INTERRUPT(TIMERA1_VECTOR, turn)
{
    switch (TAIV) {
    case 2: TACCR1 += 5003; break;
    case 10: mix(1); break;
    }
    for (uint8_t i = 0; i < 3; i++)
        bytes[8 + i] ^= i;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
    mix(IFG1);
    TACTL = TASSEL_2 | MC_2 | TAIE;
    TACCTL1 = CCIE;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCR0 = 301;
    TBCCTL0 = CCIE;
    __eint();
    for (uint8_t round = 0;; round++) {
        twice(1), twice(2);
        twice(round);
        mix(recursion(5));
        values();
        for (uint8_t rest = 0; rest < 8; rest++) {
            __dint();
            while (!due) {
                __bis_SR_register(GIE | CPUOFF);
                __dint();
            }
            due = 0;
            __eint();
        }
    }
}
