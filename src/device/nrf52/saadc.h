/* SAADC of the nRF52840 (Product Specification, 6.23): eight channels of 8 to 14 bits, each from one of eight pins, the
 * supply, or two of them as a difference; results by EasyDMA. A SAMPLE task converts every channel that has an input,
 * one after the other. Averaging (OVERSAMPLE) is not there: using it is reported.
 *
 * Invariant: while a round of conversions is under way, `channel` is the one that is converted.
 */
#ifndef DEVICE_NRF52_SAADC_H
#define DEVICE_NRF52_SAADC_H

#include "device/nrf52/block.h"

enum { NRF52_SAADC_INPUTS = 8 };

struct nrf52_saadc {
    struct nrf52_block block;
    uint8_t pins[NRF52_SAADC_INPUTS]; /* of AIN0 to AIN7, which are the analog lines 0 to 7 */
};

extern const struct device_type nrf52_saadc;

#endif
