/* A synchronous serial interface of the CC2538 (SWRU319C, chapter 19): master of an SPI bus, FIFOs of eight bytes.
 *
 * Slave mode, frames of other lengths than eight bits and DMA are not there, and are reported.
 */
#ifndef DEVICE_CC2538_SSI_H
#define DEVICE_CC2538_SSI_H

#include "device/cortex/block32.h"

struct cc2538_ssi {
    struct block32 block;
    uint8_t bus;
};

extern const struct device_type cc2538_ssi;

#endif
