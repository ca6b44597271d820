/* Sends frame after frame on a TelosB and polls the bus of its radio for every byte, at phases that move. No timer
 * runs, so that while a byte is on its way there is one event: its end. */
#include <msp430.h>
#include <stdint.h>

uint16_t node_id;

static uint8_t exchange(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF;
}

static void command(uint8_t code, const uint8_t *bytes, uint8_t count)
{
    P4OUT &= ~0x04;
    exchange(code);
    while (count--)
        exchange(*bytes++);
    P4OUT |= 0x04;
}

static uint8_t status(void)
{
    P4OUT &= ~0x04;
    uint8_t is = exchange(0x00); /* SNOP */
    P4OUT |= 0x04;
    return is;
}

static void pause(uint16_t rounds)
{
    while (rounds--)
        __nop();
}

int main(void)
{
    static const uint8_t frame[12] = {11, 0x41, 0x88, 0, 0x22, 0, 0xff, 0xff, 1, 0, 7};
    WDTCTL = WDTPW | WDTHOLD;
    P4OUT = 0x44; /* CS, RESET high */
    P4DIR = 0x64; /* CS, VREG, RESET */
    P4OUT |= 0x20;
    U0CTL = CHAR | SYNC | MM | SWRST;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 16;
    ME1 |= USPIE0;
    P3SEL |= 0x0e;
    U0CTL &= ~SWRST;
    pause(2000);
    command(0x01, 0, 0); /* SXOSCON */
    pause(2000);
    for (uint16_t phase = node_id;; phase += 7) {
        command(0x09, 0, 0); /* SFLUSHTX */
        command(0x3e, frame, sizeof frame);
        pause(phase % 61);
        command(0x04, 0, 0);    /* STXON */
        while (status() & 0x08) /* TX_ACTIVE */
            ;
    }
}
