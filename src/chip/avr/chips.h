/* The AVR chips Motet knows. */
#ifndef CHIP_AVR_CHIPS_H
#define CHIP_AVR_CHIPS_H

#include "chip/chip.h"

extern const struct chip chip_atmega128, chip_atmega1281, chip_atmega2560, chip_atmega168, chip_atmega328p;

#endif
