/* Looks for the start of a frame at every bit of what comes, then takes its two bytes at that offset. */
#include "cc1000_driver.h"

volatile uint16_t received, damaged;

int main(void)
{
    uint32_t window = 0;
    radio_start();
    for (;;) {
        uint8_t in = (uint8_t)~next_byte(0); /* the oscillator is above the signal, which inverts it */
        for (uint8_t i = 0; i < 8; i++) {
            window = window << 1 | (in >> (7 - i) & 1);
            if ((uint16_t)(window >> 16) != 0x33cc)
                continue;
            if ((uint8_t)(window >> 8) == ((uint8_t)window ^ 0x55))
                received++;
            else
                damaged++;
        }
    }
}
