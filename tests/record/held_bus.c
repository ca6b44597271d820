/* Has the bus of radio and flash, so that the recorder can write only now and then. HOLDS says when:
 * LONG in five of six sleeps, ALWAYS in every sleep, SERIAL as LONG, but as a serial port instead of a chip's bus,
 * FLOOD as LONG, with more in each sleep than the recorder has room for. It must come to its end in time, and the log
 * has all of it; with FLOOD a gap. */
#include <msp430.h>
#include <stdint.h>
#include <stdlib.h>

#define LONG   1
#define ALWAYS 2
#define SERIAL 3
#define FLOOD  4

enum { RADIO_CS = 0x04 /* port 4 */, BUS_PINS = 0x0e, SERIAL_PINS = 0x30 /* port 3 */ };
enum { IN = 6 /* sleeps it gives the bus back once */ };
enum { ROUNDS = 1200, PERIOD = 328 /* of 32768 Hz */ };

static volatile uint16_t ticks;
uint16_t sum;

INTERRUPT_WAKING(TIMERB0_VECTOR, tick)
{
    TBCCR0 += PERIOD;
    ticks++;
}

static void bus_begin(void)
{
    U0CTL = CHAR | SYNC | MM | SWRST;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    P3SEL = (P3SEL & (uint8_t)~SERIAL_PINS) | BUS_PINS;
    ME1 = (ME1 & (uint8_t) ~(UTXE0 | URXE0)) | USPIE0;
    U0CTL &= (uint8_t)~SWRST;
}

#if HOLDS == SERIAL
/* Bytes are on their way when it sleeps. */
static void hold(void)
{
    U0CTL = CHAR | SWRST;
    U0TCTL = SSEL1;
    U0BR0 = 109;
    U0BR1 = 0;
    P3SEL = (P3SEL & (uint8_t)~BUS_PINS) | SERIAL_PINS;
    ME1 |= UTXE0 | URXE0;
    U0CTL &= (uint8_t)~SWRST;
    U0TXBUF = 'a';
    U0TXBUF = 'b';
}

static void give(void)
{
    while (!(U0TCTL & TXEPT))
        ;
    bus_begin();
}
#else
static void hold(void)
{
    P4OUT &= (uint8_t)~RADIO_CS;
}

static void give(void)
{
    P4OUT |= RADIO_CS;
}
#endif

static void work(void)
{
    for (uint8_t i = 0; i < (HOLDS == FLOOD ? 40 : 2); i++)
        sum += TAR ^ P1IN;
    for (uint8_t i = 0; i < 200; i++)
        sum = sum << 1 ^ (sum >> 15) ^ i;
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    BCSCTL1 |= RSEL2 | RSEL1 | RSEL0;
    DCOCTL = 0xe0;
    P4OUT |= RADIO_CS;
    P4DIR |= RADIO_CS;
    bus_begin();
    TACTL = TASSEL_2 | MC_2;
    TBCCR0 = PERIOD;
    TBCCTL0 = CCIE;
    TBCTL = TBSSEL_1 | MC_2;
    for (uint16_t round = 0; round < ROUNDS; round++) {
        if (HOLDS == ALWAYS || round % IN)
            hold();
        while (ticks <= round)
            __bis_SR_register(LPM0_bits | GIE);
        if (HOLDS == ALWAYS || round % IN == IN - 1)
            give();
        work();
    }
    exit(ticks > ROUNDS + 1);
}
