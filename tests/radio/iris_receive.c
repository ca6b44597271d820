/* Receives what is for node 2; the radio judges and acknowledges it. */
#include "at86rf230_driver.h"

volatile uint16_t received, damaged;
volatile int8_t strength;

int main(void)
{
    uint8_t frame[14];
    uint8_t last = 0xff;
    radio_start(2);
    go(RX_AACK_ON);
    for (;;) {
        wait_for(TRX_END);
        PORTB &= ~_BV(0);
        spi(0x20);
        for (uint8_t i = 0; i < sizeof frame; i++)
            frame[i] = spi(0);
        PORTB |= _BV(0);
        strength = get(7) - 91;
        if (frame[0] != 13 || frame[10] != (frame[3] ^ 0x55))
            damaged++;
        else if (frame[3] != last) /* a repetition is no news */
            received++;
        last = frame[3];
    }
}
