/* The TelosB's terminal: 9600 baud from the crystal, everything by interrupt, asleep in LPM3 in between. Prints a line,
 * then switches its receiver on and sends back what comes until a full stop. */
#include <msp430.h>
#include <motet.h>

static const char greeting[] = "telosb\n";
static volatile unsigned char next;

__attribute__((interrupt(USART1TX_VECTOR), used)) void transmit(void);
void transmit(void)
{
    if (greeting[next])
        U1TXBUF = greeting[next++];
    else
        ME2 |= URXE1;
}

__attribute__((interrupt(USART1RX_VECTOR), used)) void receive(void);
void receive(void)
{
    unsigned char c = U1RXBUF;
    while (!(U1TCTL & TXEPT)) /* UTXIFG went with its last interrupt */
        ;
    U1TXBUF = c;
    if (c == '.') {
        while (!(U1TCTL & TXEPT))
            ;
        motet_exit(0);
    }
}

int main(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    P3SEL |= 0xc0;
    U1CTL = SWRST | CHAR;
    U1TCTL = SSEL0;
    U1BR0 = 3;
    U1BR1 = 0;
    U1MCTL = 0x4a;
    ME2 |= UTXE1;
    U1CTL &= (unsigned char)~SWRST;
    IE2 |= UTXIE1 | URXIE1;
    for (;;)
        __bis_status_register(GIE | CPUOFF | SCG0 | SCG1);
}
