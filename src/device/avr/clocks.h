/* The clock domains of an AVR chip, beyond the node's own (CLOCK_CPU, CLOCK_IO, CLOCK_TICK).
 *
 * Invariant: power.c alone sets their periods and stops them in sleep; a device counts in the domain its datasheet
 * section names ("clkADC", "clkASY") and asks nothing about sleep modes.
 */
#ifndef DEVICE_AVR_CLOCKS_H
#define DEVICE_AVR_CLOCKS_H

#include "node/node.h"

enum {
    AVR_CLOCK_ADC = CLOCK_CHIP, /* the ADC's input: the system clock, running on in ADC noise reduction */
    AVR_CLOCK_ASY,              /* the watch crystal of the asynchronous timer; stopped where none is fitted */
    AVR_CLOCK_WATCHDOG,         /* the watchdog's own oscillator, never stopped */
    AVR_CLOCK_FAST,             /* the PLL's output for a high-speed timer; stopped where there is none */
};

#endif
