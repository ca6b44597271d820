/* Leaves the bus of radio and flash as TinyOS does while nobody uses it: disabled, set up for SPI, and not in reset.
 * The recorder can use it. */
#include <msp430.h>
#include <stdint.h>

uint16_t sum;

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    TBCCR0 += 328;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    U0CTL = CHAR | SYNC | MM | SWRST;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0CTL &= (uint8_t)~SWRST;
    TACTL = TASSEL_2 | MC_2;
    TBCCR0 = 328;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_2;
    for (;;) {
        for (uint8_t i = 0; i < 20; i++)
            sum += TAR ^ P1IN;
        __bis_SR_register(LPM3_bits | GIE);
    }
}
