#include "board.h"

#define BAUD     UART_BAUD
#define BAUD_TOL 2
#include <util/setbaud.h>

static void (*receive)(uint8_t byte);
static int16_t (*take)(void);

ISR(UART_RX_VECTOR)
{
    receive(UDR0);
}

ISR(UART_UDRE_VECTOR)
{
    int16_t byte = take();
    if (byte < 0)
        UCSR0B &= ~(1 << UDRIE0);
    else
        UDR0 = byte;
}

void uart_start(void (*received)(uint8_t byte), int16_t (*next)(void))
{
    receive = received;
    take = next;
    board_clock_hold();
    UBRR0H = UBRRH_VALUE;
    UBRR0L = UBRRL_VALUE;
    UCSR0A = USE_2X << U2X0;
    UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
    UCSR0B = 1 << RXCIE0 | 1 << RXEN0 | 1 << TXEN0;
}

void uart_send(void)
{
    cpu_state saved = atomic_begin();
    UCSR0B |= 1 << UDRIE0;
    atomic_end(saved);
}
