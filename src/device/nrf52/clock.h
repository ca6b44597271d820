/* CLOCK and POWER of the nRF52840 (Product Specification, 5.3 and 5.4), which share addresses and an interrupt.
 *
 * The CPU always has 64 MHz. A crystal oscillator is there after the time it takes to start; until then HFCLKSTAT says
 * so, and the RC oscillator serves. The 32768 Hz clock runs from LFCLKSTART on; before, real-time counters stand still.
 */
#ifndef DEVICE_NRF52_CLOCK_H
#define DEVICE_NRF52_CLOCK_H

#include "device/nrf52/block.h"
#include "node/node.h"

/* Clocks of the chip beside those that all have. */
enum { NRF52_CLOCK_16M = CLOCK_CHIP, NRF52_CLOCK_32K };

extern const struct device_type nrf52_clock;

#endif
