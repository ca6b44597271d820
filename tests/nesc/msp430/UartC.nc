module UartC {
    provides interface Uart;
}
implementation {
    async command void Uart.open()
    {
        P3SEL |= 0xc0;
        U1CTLnr = SWRST;
        U1CTL = SWRST | CHAR;
        U1TCTL = SSEL0;
        U1BR0 = 3;
        U1BR1 = 0;
        U1MCTL = 0x4a;
        ME2 |= UTXE1 | URXE1;
        U1CTLnr &= ~SWRST;
        IE2 |= URXIE1 | UTXIE1;
        IFG2 &= ~UTXIFG1;
    }

    async command void Uart.put(uint8_t byte) { U1TXBUF = byte; }

    ATOMIC_HANDLER(uart1tx, USART1TX_VECTOR) { signal Uart.putDone(); }
    ATOMIC_HANDLER(uart1rx, USART1RX_VECTOR) { signal Uart.got(U1RXBUF); }
}
