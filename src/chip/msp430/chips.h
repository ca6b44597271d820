/* The MSP430 chips Motet knows. */
#ifndef CHIP_MSP430_CHIPS_H
#define CHIP_MSP430_CHIPS_H

#include "chip/chip.h"

extern const struct chip chip_msp430f1611, chip_msp430f149;

#endif
