/* Small peripherals of the nRF52840: random numbers (6.19), temperature (6.28), the interrupt-only EGU (6.7), and
 * a block cipher (6.6).
 */
#ifndef DEVICE_NRF52_SMALL_H
#define DEVICE_NRF52_SMALL_H

#include "device/nrf52/block.h"

extern const struct device_type nrf52_rng, nrf52_temp, nrf52_egu, nrf52_ecb;

#endif
