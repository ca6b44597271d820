/* Firmware that puts the flash memory into deep power-down when it starts, bit by bit, as TinyOS does on the TelosB:
 * the recorder needs it all the same. */
#include <msp430.h>
#include <stdint.h>

enum { SELECT = 0x10, HOLD = 0x80, DATA = 0x02, CLOCK = 0x08, DEEP_POWER_DOWN = 0xb9 };

uint16_t mixed;
static volatile uint16_t turns;

static void flash_sleeps(void)
{
    P3DIR |= DATA | CLOCK;
    P4DIR |= SELECT | HOLD;
    P4OUT |= SELECT | HOLD;
    P4OUT &= (uint8_t)~SELECT;
    P3OUT &= (uint8_t)~CLOCK;
    for (uint8_t bit = 0x80; bit; bit >>= 1) {
        if (DEEP_POWER_DOWN & bit)
            P3OUT |= DATA;
        else
            P3OUT &= (uint8_t)~DATA;
        P3OUT |= CLOCK;
        P3OUT &= (uint8_t)~CLOCK;
    }
    P4OUT |= SELECT;
}

__attribute__((interrupt(TIMERB0_VECTOR))) void alarm(void)
{
    TBCCR0 += 64;
    turns++;
    LPM3_EXIT;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xa0;
    flash_sleeps();
    TACTL = TASSEL_2 | MC_2;
    TBCTL = TBSSEL_1 | MC_2;
    TBCCR0 = 64;
    TBCCTL0 = CCIE;
    for (;;) {
        __bis_SR_register(LPM3_bits | GIE);
        mixed = mixed * 31 + TAR + turns;
        for (uint8_t i = mixed % 64; i; i--)
            __asm__ volatile("nop");
    }
}
