/* An alarm each 2200 cycles on a TelosB, and what its handler reads, leave the program some hundred cycles in between:
 * less than the recorder needs from one wait for the flash to the first bytes that it writes. The log goes on all the
 * same, with gaps. */
#include <msp430.h>
#include <stdint.h>

enum { PERIOD = 2200, READS = 2 };

volatile uint16_t ticks, sum;
static uint8_t table[200];

__attribute__((interrupt(TIMERB0_VECTOR))) void alarm(void)
{
    ticks++;
    TBCCR0 += PERIOD;
    for (uint8_t i = 0; i < READS; i++)
        sum = sum * 31 + TBR + P1IN;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87;
    DCOCTL = 0xc8;
    TBCCR0 = PERIOD;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_2 | MC_2 | TBCLR;
    __enable_interrupt();
    for (uint16_t rounds = 0;; rounds++) {
        uint16_t crc = rounds;
        for (uint8_t bit = 0; bit < 40; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
        table[crc % sizeof table] += (uint8_t)sum;
        if (crc % 5 == 0)
            sum += TBR;
    }
}
