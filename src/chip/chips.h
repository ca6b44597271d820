/* The chips Motet knows: a line each, its table in FAMILY/NAME.c as `chip_NAME`. */
#ifndef CHIP_CHIPS_H
#define CHIP_CHIPS_H

#include "chip/chip.h"

/* clang-format off */
#define CHIPS(X) \
    X(atmega128) \
    X(atmega1281) \
    X(atmega2560) \
    X(atmega168) \
    X(atmega328p) \
    X(atmega32u4) \
    X(attiny85) \
    X(msp430f1611) \
    X(msp430f149) \
    X(nrf52840) \
    X(cc2538) \
    X(samr21g18a)
/* clang-format on */

#define X(name) extern const struct chip chip_##name;
CHIPS(X)
#undef X

#endif
