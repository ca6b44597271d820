/* TIMER of the nRF52840 (Product Specification, 6.30): counts cycles of 16 MHz through a prescaler, or tasks COUNT.
 *
 * Invariant: while it counts time, each compare register has an event at the cycle where the counter will equal it.
 */
#ifndef DEVICE_NRF52_TIMER_H
#define DEVICE_NRF52_TIMER_H

#include "device/nrf52/block.h"

struct nrf52_timer {
    struct nrf52_block block;
    uint8_t compares; /* 4 or 6 */
};

extern const struct device_type nrf52_timer;

#endif
