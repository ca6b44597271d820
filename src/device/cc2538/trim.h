/* Registers of the CC2538 that trim analog circuits or choose test signals (ANA_REGS, CCTEST): memory without effect.
 */
#ifndef DEVICE_CC2538_TRIM_H
#define DEVICE_CC2538_TRIM_H

#include "device/cortex/block32.h"

struct cc2538_trim {
    struct block32 block;
    uint32_t size;
};

extern const struct device_type cc2538_trim;

#endif
