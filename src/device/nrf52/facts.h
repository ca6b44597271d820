/* The pages of the nRF52840 with facts about the chip: those of the factory, FICR, and those of the user, UICR (Product
 * Specification, 4.4 and 4.5). UICR is flash: the NVMC writes words there, whose bits are only cleared, and erases it.
 *
 * Invariant: the registers of UICR show its paged memory, which outlives every reset.
 */
#ifndef DEVICE_NRF52_FACTS_H
#define DEVICE_NRF52_FACTS_H

#include "device/nrf52/block.h"

extern const struct device_type nrf52_facts;

#endif
