/* Sets an alarm as TinyOS does on an MSP430: with interrupts off it reads a timer, sets a compare register four ticks
 * later, and clears what fired before. If the read takes longer than that the alarm is lost, and comes when the timer
 * has come round. Meanwhile there are so many other events that the recorder has work in all entries. */
#include <msp430.h>
#include <stdint.h>
#include <stdlib.h>

enum { ALARMS = 1500, PERIOD = 5000 /* cycles between other events */, LATE = 100 /* ticks of 32768 Hz */ };

static volatile uint16_t fired, others;
uint16_t sum;

INTERRUPT_WAKING(TIMERB1_VECTOR, alarm)
{
    (void)TBIV;
    TBCCTL1 = 0;
    fired++;
}

INTERRUPT_WAKING(TIMERA0_VECTOR, other)
{
    TACCR0 += PERIOD;
    others += P1IN + P2IN;
}

static uint16_t set(void)
{
    uint16_t now;
    __dint();
    now = TBR;
    TBCCR1 = TBR + 4;
    TBCCTL1 = CCIE;
    __eint();
    return now;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87; /* 4.5 MHz */
    DCOCTL = 0xc8;
    TACCR0 = PERIOD;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_2 | TACLR;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    for (uint16_t i = 1; i <= ALARMS; i++) {
        uint16_t begun = set();
        while (fired != i)
            for (uint8_t k = 0; k < 20; k++)
                sum = sum << 1 ^ (sum >> 15) ^ k;
        if ((uint16_t)(TBR - begun) > LATE)
            exit(1);
    }
    exit(0);
}
