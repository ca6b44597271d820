/* USART0 of an AVR, by polling. Part of out_serial.h. */
#ifndef SERIAL_AVR_H
#define SERIAL_AVR_H

#include <avr/io.h>
#include <stdint.h>

#ifndef MOTET_LOG_DIVIDER
#define MOTET_LOG_DIVIDER 7 /* 115200 Bd at 7.3728 MHz, with U2X */
#endif

static uint8_t serial_sent;

/* Set up unless the firmware has; its own bytes come first. */
static uint8_t serial_ready(void)
{
    if (!(UCSR0B & 1 << TXEN0)) {
        UBRR0H = MOTET_LOG_DIVIDER >> 8;
        UBRR0L = MOTET_LOG_DIVIDER & 0xff;
        UCSR0A = 1 << U2X0;
        UCSR0B |= 1 << TXEN0;
    }
    return !(UCSR0B & 1 << UDRIE0);
}

static uint8_t serial_full(void)
{
    return !(UCSR0A & 1 << UDRE0);
}

static void serial_send(uint8_t byte)
{
    UCSR0A = (uint8_t)((UCSR0A & (1 << U2X0 | 1 << MPCM0)) | 1 << TXC0);
    UDR0 = byte;
    serial_sent = 1;
}

#ifdef LOG_SWITCH
/* A byte that has come; SERIAL_NONE if there is none, or if the firmware takes them itself. */
static uint8_t serial_received(void)
{
    if (UCSR0B & 1 << RXCIE0)
        return SERIAL_NONE;
    serial_ready();
    UCSR0B |= 1 << RXEN0;
    return UCSR0A & 1 << RXC0 ? UDR0 : SERIAL_NONE;
}
#endif

static uint8_t serial_draining(void)
{
    if (serial_sent && (UCSR0A & 1 << TXC0))
        serial_sent = 0;
    return serial_sent;
}

#endif
