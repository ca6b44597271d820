/* Ports and their pads on the CC2538 (SWRU319C, chapter 9): a port of eight pins, its data registers, of which each of
 * 256 reaches the pins of its address bits, and the pads' controller IOC.
 *
 * Pins whose function is a peripheral's (AFSEL) keep what the port drives. Invariant: RIS has every edge that IS, IBE
 * and IEV ask for since it was cleared, and the levels they ask for as they are.
 */
#ifndef DEVICE_CC2538_GPIO_H
#define DEVICE_CC2538_GPIO_H

#include "device/cortex/block32.h"

struct cc2538_gpio {
    struct block32 block;
    uint8_t first; /* pin */
};

extern const struct device_type cc2538_gpio, cc2538_gpio_data, cc2538_ioc;

#define CC2538_IOC 0x400d4000u

#endif
