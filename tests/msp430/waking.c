/* INTERRUPT_WAKING lets the CPU run on after the handler, INTERRUPT lets it sleep on; registers survive both. */
#include <msp430.h>
#include <stdint.h>
#include <stdlib.h>

static volatile uint16_t naps, ticks;

INTERRUPT(TIMERA1_VECTOR, tick) /* CCR1: does not wake */
{
    if (TAIV == 2)
        ticks = (uint16_t)(ticks * 3 + 1) % 257; /* calls a support routine, which uses many registers */
}

INTERRUPT_WAKING(TIMERA0_VECTOR, wake) /* CCR0, once in a period */
{
    naps = (uint16_t)((naps * 7 + 7) / 7);
}

int main(void)
{
    TACCR0 = 4999;
    TACCR1 = 4000;
    TACCTL0 = TACCTL1 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    uint32_t a = 1, b = 2, c = 3;
    for (uint16_t i = 1; i <= 100; i++) {
        __bis_SR_register(CPUOFF | GIE);
        if (naps != i) /* woken by the other one */
            return 1;
        a = a * 5 + i;
        b ^= a >> 3;
        c += a % (i + 1);
    }
    __dint();
    return a == UINT32_C(0xb5cbd1a3) && b == UINT32_C(0x15f06e2e) && c == UINT32_C(0x000008a2) ? 0 : 2;
}
