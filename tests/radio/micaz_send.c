/* Sends a numbered frame to node 2 every few milliseconds, and counts the acknowledgements that come back. */
#include "cc2420_driver.h"

volatile uint16_t sent, acknowledged;

static uint8_t wait_for_acknowledgement(uint8_t sequence)
{
    uint8_t frame[128];
    for (uint16_t i = 0; i < 2000; i++) {
        if (!fifop())
            continue;
        uint8_t length = radio_receive(frame);
        return length == 5 && (frame[0] & 7) == 2 && frame[2] == sequence && (frame[4] & 0x80);
    }
    return 0;
}

int main(void)
{
    radio_start(1);
    _delay_ms(2);
    for (uint8_t sequence = 0;; sequence++) {
        uint8_t frame[] = {13, 0x61, 0x88, sequence, 0x22, 0x00, 2, 0, 1, 0, sequence ^ 0x55, 0xaa};
        radio_send(frame, sizeof frame);
        sent++;
        acknowledged += wait_for_acknowledgement(sequence);
        _delay_ms(3);
    }
}
