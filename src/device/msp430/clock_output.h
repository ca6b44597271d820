/* A clock put out on pins: ACLK, SMCLK or MCLK as the module of a port's pin (datasheet, port schematics).
 *
 * High in the first half of each cycle. Invariant: only while one of its pins is selected as an output does the clock
 * have events, two a cycle.
 */
#ifndef DEVICE_MSP430_CLOCK_OUTPUT_H
#define DEVICE_MSP430_CLOCK_OUTPUT_H

#include "node/node.h"
#include "node/pins.h"

struct msp430_clock_pin {
    uint8_t pin; /* PIN_NONE: none */
    uint16_t sel, dir;
};

struct msp430_clock_output {
    uint8_t clock;
    struct msp430_clock_pin pins[2];
};

extern const struct device_type msp430_clock_output;

#endif
