/* USART1 of an MSP430, taken by polling and given back as it was. Part of dump.c. */
#ifndef DUMP_PORT_MSP430_H
#define DUMP_PORT_MSP430_H

#include <msp430.h>
#include <stdint.h>

#ifndef MOTET_DUMP_DIVIDER
#define MOTET_DUMP_DIVIDER    36 /* 115200 Bd at 2^22 Hz */
#define MOTET_DUMP_MODULATION 0x4a
#endif
#ifndef MOTET_DUMP_MODULATION
#define MOTET_DUMP_MODULATION 0
#endif
#define DUMP_PATIENCE 0xc0000ul /* looks at an empty port: 4 s at 2^22 Hz */
#define DUMP_STILL()  (WDTCTL = WDTPW | WDTCNTCL | (WDTCTL & 0xff))

struct dump_port {
    uint8_t enabled;
    uint8_t flagged; /* as the application's driver will have it */
};

static void dump_port_start(void)
{
    P3SEL |= 0xc0;
    P3DIR |= 0x40;
    U1CTL = CHAR | SWRST;
    U1TCTL = SSEL1;
    U1BR0 = MOTET_DUMP_DIVIDER & 0xff;
    U1BR1 = MOTET_DUMP_DIVIDER >> 8;
    U1MCTL = MOTET_DUMP_MODULATION;
    ME2 |= UTXE1 | URXE1;
    U1CTL = CHAR;
}

static uint8_t dump_port_waits(void)
{
    return (ME2 & URXE1) && !(IE2 & URXIE1) && (IFG2 & URXIFG1);
}

static void dump_port_open(struct dump_port *was)
{
    was->enabled = ME2;
    was->flagged = (IFG2 & UTXIFG1) || !(U1TCTL & TXEPT); /* or will be, when what is on its way has gone */
    ME2 |= UTXE1 | URXE1;
    if (!was->flagged)
        IFG2 |= UTXIFG1;
}

static uint8_t dump_port_full(void)
{
    return !(IFG2 & UTXIFG1);
}

static uint8_t dump_port_has_byte(void)
{
    return IFG2 & URXIFG1;
}

#define DUMP_PORT_OUT U1TXBUF
#define DUMP_PORT_IN  U1RXBUF

static void dump_port_close(const struct dump_port *was)
{
    while (!(U1TCTL & TXEPT))
        ;
    if (!was->flagged)
        IFG2 &= (uint8_t)~UTXIFG1;
    ME2 = was->enabled;
}

#endif
