/* WDT of the nRF52840 (Product Specification, 6.36): counts 32768 Hz from START on, and cannot be stopped. Each reload
 * register that is enabled must be written before it restarts. */
#ifndef DEVICE_NRF52_WDT_H
#define DEVICE_NRF52_WDT_H

#include "device/nrf52/block.h"

extern const struct device_type nrf52_wdt;

#endif
