/* The clock domains of an MSP430, besides those every chip has.
 */
#ifndef DEVICE_MSP430_CLOCKS_H
#define DEVICE_MSP430_CLOCKS_H

#include "node/node.h"

enum {
    MSP430_MCLK = CLOCK_CPU,
    MSP430_SMCLK = CLOCK_IO,
    MSP430_ACLK = CLOCK_CHIP,
    MSP430_ADC12OSC,                   /* the ADC's own oscillator, about 5 MHz */
    MSP430_NO_CLOCK = CLOCK_LIMIT - 1, /* never runs: for modules that wait for a clock from outside */
};

#endif
