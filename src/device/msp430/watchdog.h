/* Watchdog and interval timer (SLAU049, chapter 10).
 *
 * Runs from every PUC on, as a watchdog, with SMCLK / 32768, until firmware stops it. Any write to WDTCTL without the
 * password 0x5a in its high byte is a PUC. WDTIFG tells the firmware after a reset that the watchdog did it, and is
 * the interrupt flag of the interval timer. Invariant: event 0 is pending exactly while a watchdog counts, event 1
 * while an interval timer whose flag is clear does; both at the next multiple of the interval after `base`.
 */
#ifndef DEVICE_MSP430_WATCHDOG_H
#define DEVICE_MSP430_WATCHDOG_H

#include "device/bits.h"

struct msp430_watchdog {
    uint16_t control; /* WDTCTL */
    struct bits flag, enable;
    uint8_t line;
};

extern const struct device_type msp430_watchdog;

#endif
