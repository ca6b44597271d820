/* The two resets of an MSP430 (SLAU049, 2.1).
 *
 * A power-on reset (POR: power-up, brown-out, the RST pin, the supply supervisor) sets everything to its initial value;
 * a power-up clear (PUC: a POR, the watchdog, a wrong password) leaves alone the registers that the guide marks with
 * parentheses. As a node clears all register bytes at every reset, devices that keep some write them anew.
 */
#ifndef DEVICE_MSP430_RESET_H
#define DEVICE_MSP430_RESET_H

#include "node/device.h"

static inline bool msp430_power_on_reset(enum reset_cause cause)
{
    return cause == RESET_POWER_ON || cause == RESET_BROWN_OUT || cause == RESET_EXTERNAL;
}

#endif
