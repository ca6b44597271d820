/* GPIOTE of the nRF52840 (Product Specification, 6.10): pins as events and tasks, and the event PORT for pins that have
 * a sense level in their PIN_CNF.
 *
 * Invariant: a channel in task mode owns its pin.
 */
#ifndef DEVICE_NRF52_GPIOTE_H
#define DEVICE_NRF52_GPIOTE_H

#include "device/nrf52/block.h"

extern const struct device_type nrf52_gpiote;

#endif
