/* What makes and passes on clocks in a SAM R21 (SAM R21 datasheet, 42223G): PM, SYSCTRL, GCLK, and the flash
 * controller's settings. Oscillators and PLLs are ready at once. A watchdog that is switched on and a command to
 * the flash controller are reported: neither is there.
 *
 * Invariant: the CPU's clock is that of generator 0.
 */
#ifndef DEVICE_SAMR21_CLOCKS_H
#define DEVICE_SAMR21_CLOCKS_H

#include "node/node.h"

enum { SAMR21_CLOCK_SERCOM0 = 0x14, SAMR21_CLOCK_TC3 = 0x1b, SAMR21_CLOCK_TC4_TC5 = 0x1c };

extern const struct device_type samr21_clocks;

/* Hertz of the generic clock of that number (CLKCTRL.ID); 0: it is off. */
double samr21_clock_hz(const struct node *n, unsigned id);

#endif
