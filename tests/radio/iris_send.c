/* Sends a numbered frame to node 2 every few milliseconds; the radio waits for the acknowledgement. */
#include "at86rf230_driver.h"

volatile uint16_t sent, acknowledged;

int main(void)
{
    radio_start(1);
    go(TX_ARET_ON);
    _delay_ms(2);
    for (uint8_t sequence = 0;; sequence++) {
        uint8_t frame[] = {13, 0x61, 0x88, sequence, 0x22, 0x00, 2, 0, 1, 0, sequence ^ 0x55, 0xaa};
        PORTB &= ~_BV(0);
        spi(0x60);
        for (uint8_t i = 0; i < sizeof frame; i++)
            spi(frame[i]);
        PORTB |= _BV(0);
        set(TRX_STATE, TX_START);
        wait_for(TRX_END);
        sent++;
        acknowledged += get(TRX_STATE) >> 5 == 0;
        _delay_ms(3);
    }
}
