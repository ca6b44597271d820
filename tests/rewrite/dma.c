/* What DMA writes decides how the program goes on: a replay that has other bytes does not fit the log. */
#include <msp430.h>
#include <stdint.h>

#include "motet.h"

enum { WORDS = 8 };
static uint16_t samples[WORDS];
static volatile uint8_t due;
static uint16_t sum;

static void transfer(void)
{
    DMACTL0 = DMA0TSEL_0;
    DMA0SA = (uint16_t)(uintptr_t)&TAR;
    DMA0DA = (uint16_t)(uintptr_t)samples;
    DMA0SZ = WORDS;
    DMA0CTL = DMADT_1 | DMADSTINCR_3 | DMAEN | DMAREQ;
    while (!(DMA0CTL & DMAIFG))
        ;
    motet_filled(samples, sizeof samples);
    DMA0CTL = 0;
}

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    TBCCR0 += 1311;
    due = 1;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
    TACTL = TASSEL_2 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCR0 = 1311;
    TBCCTL0 = CCIE;
    __eint();
    for (;;) {
        transfer();
        for (uint8_t i = 0; i < WORDS; i++)
            for (uint8_t n = samples[i] % 5; n; n--)
                sum += TBR & 1;
        __dint();
        while (!due) {
            __bis_SR_register(GIE | CPUOFF);
            __dint();
        }
        due = 0;
        __eint();
    }
}
