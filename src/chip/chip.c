#include "chip/chip.h"

#include <strings.h>

#include "chip/avr/chips.h"
#include "chip/msp430/chips.h"

const struct chip *const chips[] = {
    &chip_atmega128,  &chip_atmega1281,  &chip_atmega2560, &chip_atmega168,
    &chip_atmega328p, &chip_msp430f1611, &chip_msp430f149, NULL,
};

const struct chip *chip_named(const char *name)
{
    for (size_t i = 0; chips[i]; i++)
        if (strcasecmp(chips[i]->name, name) == 0)
            return chips[i];
    return NULL;
}
