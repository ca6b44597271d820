/* A firmware that records, and calls code that does not (unrecorded_code.c): what that returns is used. */
#include <stdint.h>

uint16_t get(uint16_t turn);
volatile uint16_t ticks, odd;
static volatile uint16_t mixed;
uint8_t packet[16];

#include "waker.h"

int main(void)
{
    begin();
    for (uint16_t turn = 0;; turn++) {
        for (uint8_t i = 0; i < 40; i++)
            mixed ^= COUNTER;
        if (get(turn) & 1)
            odd++;
        wait();
    }
}
