/* Comparator_A (SLAU049, chapter 16).
 *
 * The inputs are compared at each change of a register or pin, and at each read; while an interrupt is enabled and an
 * input comes from an analog source, also every ten microseconds. The output follows after the datasheet's response
 * time. Invariant: CAOUT changes only by that event, and CAIFG only with it or by the firmware.
 */
#ifndef DEVICE_MSP430_COMPARATOR_A_H
#define DEVICE_MSP430_COMPARATOR_A_H

#include "device/msp430/analog.h"
#include "device/msp430/timer.h"

struct msp430_comparator_a {
    uint16_t cactl1, cactl2, capd;
    uint8_t line;                     /* interrupt */
    uint8_t ca0, ca1;                 /* input pins */
    uint8_t caout;                    /* output pin */
    const struct msp430_timer *timer; /* whose block can capture the output */
    uint8_t block;
};

extern const struct device_type msp430_comparator_a;

#endif
