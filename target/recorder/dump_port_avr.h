/* USART0 of an AVR, taken by polling and given back as it was. Part of dump.c. */
#ifndef DUMP_PORT_AVR_H
#define DUMP_PORT_AVR_H

#include <avr/io.h>
#include <stdint.h>

#ifndef MOTET_DUMP_DIVIDER
#define MOTET_DUMP_DIVIDER 7 /* 57600 Bd at 7.3728 MHz */
#endif
#define DUMP_STILL()  __asm__ volatile("wdr")
#define DUMP_PATIENCE 0x200000ul /* looks at an empty port: 4 s at 7.3728 MHz */

struct dump_port {
    uint8_t control, complete;
};

static void dump_port_start(void)
{
    UBRR0L = MOTET_DUMP_DIVIDER;
    UBRR0H = MOTET_DUMP_DIVIDER >> 8;
    UCSR0B = 1 << RXEN0 | 1 << TXEN0;
}

/* There is a byte that no handler of the application's will fetch. */
static uint8_t dump_port_waits(void)
{
    return (UCSR0B & (1 << RXEN0 | 1 << RXCIE0)) == 1 << RXEN0 && (UCSR0A & 1 << RXC0);
}

/* By writing a one (ATmega128, USART: UCSRnA). */
static void dump_port_clear(void)
{
    UCSR0A = (uint8_t)((UCSR0A & (1 << U2X0 | 1 << MPCM0)) | 1 << TXC0);
}

static void dump_port_open(struct dump_port *was)
{
    was->control = UCSR0B;
    was->complete = UCSR0A & 1 << TXC0;
    dump_port_clear();
    UCSR0B = (uint8_t)(was->control | 1 << RXEN0 | 1 << TXEN0);
}

static uint8_t dump_port_full(void)
{
    return !(UCSR0A & 1 << UDRE0);
}

static uint8_t dump_port_has_byte(void)
{
    return UCSR0A & 1 << RXC0;
}

#define DUMP_PORT_OUT UDR0
#define DUMP_PORT_IN  UDR0

static void dump_port_close(const struct dump_port *was)
{
    while (!(UCSR0A & 1 << TXC0))
        ;
    if (!was->complete)
        dump_port_clear();
    UCSR0B = was->control;
}

#endif
