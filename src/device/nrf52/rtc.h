/* RTC of the nRF52840 (Product Specification, 6.22): 24 bits that count cycles of 32768 Hz through a prescaler.
 *
 * Invariant: an event is scheduled for each compare register and for the overflow while the counter runs and something
 * depends on them: INTEN or EVTEN.
 */
#ifndef DEVICE_NRF52_RTC_H
#define DEVICE_NRF52_RTC_H

#include "device/nrf52/block.h"

struct nrf52_rtc {
    struct nrf52_block block;
    uint8_t compares; /* 3 or 4 */
};

extern const struct device_type nrf52_rtc;

#endif
