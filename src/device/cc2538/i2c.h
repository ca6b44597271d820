/* The I2C interface of the CC2538 (SWRU319C, chapter 20), as a master of a two-wire bus. As a slave it is not there.
 * SYS_CTRL_SRI2C, the reset of this module alone, is its own register.
 *
 * Invariant: while BUSY, an event is due at the end of the byte under way.
 */
#ifndef DEVICE_CC2538_I2C_H
#define DEVICE_CC2538_I2C_H

#include "device/cortex/block32.h"

struct cc2538_i2c {
    struct block32 block;
    uint8_t bus;
};

extern const struct device_type cc2538_i2c;

#endif
