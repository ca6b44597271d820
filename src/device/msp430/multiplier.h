/* Hardware multiplier (SLAU049, chapter 7): MPY, MPYS, MAC, MACS.
 *
 * The first operand's address selects the operation; writing the second starts it, and the result is there for the next
 * instruction. Nothing is scheduled. Invariant: the four addresses of the first operand hold the same word.
 */
#ifndef DEVICE_MSP430_MULTIPLIER_H
#define DEVICE_MSP430_MULTIPLIER_H

#include "device/msp430/dma.h"

struct msp430_multiplier {
    uint16_t mpy; /* the first register; MPYS, MAC, MACS, OP2, RESLO, RESHI and SUMEXT follow */
    struct msp430_dma_line ready;
};

extern const struct device_type msp430_multiplier;

#endif
