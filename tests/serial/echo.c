/* Sends back what it receives, both by interrupt, through a ring; then the bytes' sum when it gets a zero. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/setbaud.h>

#if defined(USART0_RX_vect)
#define RX_vect   USART0_RX_vect
#define DATA_vect USART0_UDRE_vect
#else
#define RX_vect   USART_RX_vect
#define DATA_vect USART_UDRE_vect
#endif

static volatile uint8_t ring[64], in, out;
volatile uint16_t sum;
volatile uint8_t errors;

ISR(RX_vect)
{
    errors |= UCSR0A & (1 << FE0 | 1 << DOR0 | 1 << UPE0);
    uint8_t byte = UDR0;
    sum += byte;
    ring[in++ % 64] = byte;
    UCSR0B |= 1 << UDRIE0;
}

ISR(DATA_vect)
{
    UDR0 = ring[out++ % 64];
    if (out == in)
        UCSR0B &= ~(1 << UDRIE0);
}

int main(void)
{
    UBRR0H = UBRRH_VALUE;
    UBRR0L = UBRRL_VALUE;
    UCSR0A = USE_2X << U2X0;
    UCSR0C = 1 << UPM01 | 3 << UCSZ00; /* 8E1 */
    UCSR0B = 1 << RXEN0 | 1 << TXEN0 | 1 << RXCIE0;
    sei();
    for (;;)
        ;
}
