/* Sends a numbered frame after a preamble every few milliseconds. */
#include "cc1000_driver.h"

volatile uint16_t sent;

int main(void)
{
    radio_start();
    for (uint8_t sequence = 0;; sequence++) {
        set(MAIN, TRANSMIT);
        for (uint8_t i = 0; i < 12; i++)
            next_byte(0xaa);
        uint8_t frame[] = {0x33, 0xcc, sequence, sequence ^ 0x55, 0, 0};
        for (uint8_t i = 0; i < sizeof frame; i++)
            next_byte(frame[i]);
        next_byte(0);
        set(MAIN, RECEIVE);
        sent++;
        _delay_ms(7);
    }
}
