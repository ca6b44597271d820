/* The non-maskable interrupt and the RST/NMI pin (SLAU049, 2.2.1).
 *
 * Three sources share the line: the pin, an oscillator fault, an access violation of the flash. Invariant: the line is
 * up exactly while some source's flag and enable bit are both set. Taking the interrupt clears all enable bits and no
 * flag. Code that changes a flag by itself calls msp430_nmi_update.
 *
 * The pin is the chip's reset, at its falling edge, unless WDTNMI makes it an interrupt of the edge that WDTNMIES
 * chooses. That the chip is held in reset as long as the pin is low is not modelled.
 */
#ifndef DEVICE_MSP430_NMI_H
#define DEVICE_MSP430_NMI_H

#include "device/bits.h"

struct msp430_nmi_source {
    struct bits flag, enable;
};

struct msp430_nmi {
    struct msp430_nmi_source pin, oscillator, flash;
    uint16_t watchdog_control; /* WDTCTL */
    unsigned reset_pin;
    uint8_t line;
};

extern const struct device_type msp430_nmi;

void msp430_nmi_update(struct node *n);

#endif
