/* Receives what is for node 2 and counts what came through whole, and how strong it was. */
#include "cc2420_driver.h"

volatile uint16_t received, damaged;
volatile int8_t strength;

int main(void)
{
    uint8_t frame[128];
    radio_start(2);
    for (;;) {
        while (!fifop())
            ;
        uint8_t length = radio_receive(frame);
        if (length == 13 && (frame[12] & 0x80) && frame[9] == (frame[2] ^ 0x55)) {
            received++;
            strength = frame[11];
        } else {
            damaged++;
        }
    }
}
