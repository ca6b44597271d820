/* NVMC of the nRF52840 (Product Specification, 4.3): program memory that firmware erases by pages and writes by words.
 *
 * The CPU waits while it works, since its code lies in the same memory. Bits are only cleared by writes and only set by
 * erases. Invariant: the paged memory is what the flash holds, and the decoded code follows it (isa->reprogrammed).
 */
#ifndef DEVICE_NRF52_NVMC_H
#define DEVICE_NRF52_NVMC_H

#include "device/nrf52/block.h"

extern const struct device_type nrf52_nvmc;

#endif
