/* USART1 of an MSP430, by polling. Part of out_serial.h. */
#ifndef SERIAL_MSP430_H
#define SERIAL_MSP430_H

#include <msp430.h>
#include <stdint.h>

#ifndef MOTET_LOG_DIVIDER
#define MOTET_LOG_DIVIDER    36 /* 115200 Bd at 2^22 Hz */
#define MOTET_LOG_MODULATION 0x4a
#endif
#ifndef MOTET_LOG_MODULATION
#define MOTET_LOG_MODULATION 0
#endif

/* Set up unless the firmware has; its own bytes come first. */
static uint8_t serial_ready(void)
{
    if (!(ME2 & UTXE1)) {
        P3SEL |= 0x40;
        P3DIR |= 0x40;
        U1CTL = CHAR | SWRST;
        U1TCTL = SSEL1;
        U1BR0 = MOTET_LOG_DIVIDER & 0xff;
        U1BR1 = MOTET_LOG_DIVIDER >> 8;
        U1MCTL = MOTET_LOG_MODULATION;
        ME2 |= UTXE1;
        U1CTL = CHAR;
    }
    return !(IE2 & UTXIE1);
}

static uint8_t serial_full(void)
{
    return !(IFG2 & UTXIFG1);
}

static void serial_send(uint8_t byte)
{
    U1TXBUF = byte;
}

#ifdef LOG_SWITCH
/* A byte that has come; SERIAL_NONE if there is none, or if the firmware takes them itself. */
static uint8_t serial_received(void)
{
    if (IE2 & URXIE1)
        return SERIAL_NONE;
    serial_ready();
    P3SEL |= 0x80;
    ME2 |= URXE1;
    return IFG2 & URXIFG1 ? U1RXBUF : SERIAL_NONE;
}
#endif

static uint8_t serial_draining(void)
{
    return (ME2 & UTXE1) && !(U1TCTL & TXEPT);
}

#endif
