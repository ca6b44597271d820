/* The memory map of AVR chips: only sizes differ. */
#ifndef CHIP_AVR_REGIONS_H
#define CHIP_AVR_REGIONS_H

#include "chip/region.h"
#include "isa/avr/avr.h"

enum { AVR_FILE = 0x20 /* bytes of r0-r31, at the beginning of the data space */ };

/* Into a struct chip: `ram` is the data address at which registers end and RAM begins. */
#define AVR_REGIONS(flash, ram, ram_size, eeprom)                                         \
    .region_count = 5, .regions = (const struct region[])                                 \
    {                                                                                     \
        {0, (flash), REGION_FLASH, 16, 0}, {AVR_SPACE_DATA, AVR_FILE, REGION_CORE, 8, 0}, \
            {AVR_SPACE_DATA + AVR_FILE, (ram)-AVR_FILE, REGION_REGISTERS, 8, AVR_FILE},   \
            {AVR_SPACE_DATA + (ram), (ram_size), REGION_RAM, 8, (ram)},                   \
            {AVR_SPACE_EEPROM, (eeprom), REGION_EEPROM, 8, 0},                            \
    }

#endif
