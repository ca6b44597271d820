/* Sets an alarm as TinyOS does on an MSP430: with interrupts off it reads a timer, sets a compare register some ticks
 * later, and clears what fired before. If the read takes longer than that the alarm is lost, and comes when the timer
 * has come round. Meanwhile there are so many other events that the recorder has work in all entries.
 * BURST: with two ticks, of a timer that is read until it is the same twice, and after many more reads with interrupts
 * off: some before the first interrupt, some while the radio has the flash's bus. */
#include <msp430.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef BURST
enum { TICKS = 2, READS = 24, BEFORE = 300 };
#else
enum { TICKS = 4, READS = 0, BEFORE = 0 };
#endif
enum { RADIO_CS = 0x04 /* port 4 */ };
enum {
    ALARMS = 1500,
    PERIOD = 5000 /* cycles between other events */,
    LATE = 50 /* other events until it counts as lost: 2 s have 1800 */
};

static volatile uint16_t fired, others;
static volatile uint8_t pins;
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
    others++;
    pins += P1IN + P2IN;
}

static uint16_t steady(void)
{
    uint16_t a, b = TBR;
    do {
        a = b;
        b = TBR;
    } while (a != b);
    return b;
}

static void reads(uint16_t count)
{
    while (count--)
        sum += P5IN ^ steady();
}

static void set(void)
{
    __dint();
    if (READS) {
        P4OUT &= (uint8_t)~RADIO_CS;
        reads(others % READS);
        (void)steady();
        TBCCR1 = steady() + TICKS;
    } else {
        (void)TBR;
        TBCCR1 = TBR + TICKS;
    }
    TBCCTL1 = CCIE;
    P4OUT |= RADIO_CS;
    __eint();
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 = 0x87; /* 4.5 MHz */
    DCOCTL = 0xc8;
    P4OUT |= RADIO_CS;
    P4DIR |= RADIO_CS;
    reads(BEFORE);
    TACCR0 = PERIOD;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_2 | TACLR;
    TBCTL = TBSSEL_1 | MC_2 | TBCLR;
    for (uint16_t i = 1; i <= ALARMS; i++) {
        uint16_t begun = others;
        set();
        while (fired != i)
            for (uint8_t k = 0; k < 20; k++)
                sum = sum << 1 ^ (sum >> 15) ^ k;
        if ((uint16_t)(others - begun) > LATE)
            exit(1);
    }
    exit(0);
}
