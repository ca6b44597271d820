/* The serial port of a node that replays a component, by polling, and its restart. */
#ifndef REPLAYER_PORT_H
#define REPLAYER_PORT_H

#include <stdint.h>

#ifdef __AVR__
#include <avr/io.h>

#ifndef MOTET_LOG_DIVIDER
#define MOTET_LOG_DIVIDER 7 /* 115200 Bd at 7.3728 MHz, with U2X */
#endif

static uint8_t replayer_is_register(uint16_t address)
{
    return address < RAMSTART;
}

static void replayer_begin(void)
{
    UBRR0H = MOTET_LOG_DIVIDER >> 8;
    UBRR0L = MOTET_LOG_DIVIDER & 0xff;
    UCSR0A = 1 << U2X0;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
}

static uint8_t replayer_get(void)
{
    while (!(UCSR0A & 1 << RXC0))
        ;
    return UDR0;
}

static void replayer_send(uint8_t byte)
{
    while (!(UCSR0A & 1 << UDRE0))
        ;
    UDR0 = byte;
}

static void replayer_restart(void)
{
    __asm__ volatile("cli\n\tclr r30\n\tclr r31\n\tijmp");
    __builtin_unreachable();
}

#else
#include <msp430.h>

static uint8_t replayer_is_register(uint16_t address)
{
    return address < 0x200;
}

/* 9600 Bd from the crystal of 32768 Hz: the other clock is the firmware's to set, which does not start. */
static void replayer_begin(void)
{
    P3SEL |= 0xc0;
    P3DIR |= 0x40;
    U1CTL = CHAR | SWRST;
    U1TCTL = SSEL0;
    U1BR0 = 3;
    U1BR1 = 0;
    U1MCTL = 0x4a;
    ME2 |= UTXE1 | URXE1;
    U1CTL = CHAR;
}

static uint8_t replayer_get(void)
{
    while (!(IFG2 & URXIFG1))
        ;
    return U1RXBUF;
}

static void replayer_send(uint8_t byte)
{
    while (!(IFG2 & UTXIFG1))
        ;
    U1TXBUF = byte;
}

static void replayer_restart(void)
{
    __asm__ volatile("dint\n\tnop\n\tbr &0xfffe");
    __builtin_unreachable();
}
#endif

#endif
