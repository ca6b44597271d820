#include "spi.h"

#include <msp430.h>

struct resource spi_bus;

/* USART0 as master, mode 0, half of SMCLK: P3.1 data out, P3.2 data in, P3.3 clock. The flash's select (P4.4) stays
 * high. */
void spi_start(void)
{
    P4OUT |= 0x14;
    P4DIR |= 0x14;
    P3SEL |= 0x0e;
    P3DIR |= 0x0a;
    U0CTL = CHAR | SYNC | MM | SWRST;
    U0TCTL = CKPH | SSEL1 | STC;
    U0BR0 = 2;
    U0BR1 = 0;
    U0MCTL = 0;
    ME1 |= USPIE0;
    U0CTL = CHAR | SYNC | MM;
}

uint8_t spi_exchange(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
    return U0RXBUF; /* which clears the flag */
}

void spi_send(uint8_t out)
{
    U0TXBUF = out;
    while (!(IFG1 & URXIFG0))
        ;
    (void)U0RXBUF; /* clears the flag */
}
