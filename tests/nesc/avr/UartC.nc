module UartC {
    provides interface Uart;
}
implementation {
    async command void Uart.open()
    {
        UBRR0H = 0;
        UBRR0L = 15;
        UCSR0A = 1 << U2X0;
        UCSR0C = 1 << UCSZ01 | 1 << UCSZ00;
        UCSR0B = 1 << RXCIE0 | 1 << TXCIE0 | 1 << RXEN0 | 1 << TXEN0;
    }

    async command void Uart.put(uint8_t byte)
    {
        while (!(UCSR0A & (1 << UDRE0)))
            ;
        atomic {
            UDR0 = byte;
            UCSR0A |= 1 << TXC0;
        }
    }

    ATOMIC_HANDLER(USART0_TX_vect) { signal Uart.putDone(); }

    ATOMIC_HANDLER(USART0_RX_vect)
    {
        if (UCSR0A & (1 << RXC0))
            signal Uart.got(UDR0);
    }
}
