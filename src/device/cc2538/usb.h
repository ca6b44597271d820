/* The USB controller of the CC2538 (SWRU319C, chapter 21) without a cable: firmware can switch it on and set it up, and
 * then no host ever talks to it.
 *
 * Invariant: no interrupt flag is ever set, and endpoints stay empty.
 */
#ifndef DEVICE_CC2538_USB_H
#define DEVICE_CC2538_USB_H

#include "device/cortex/block32.h"

extern const struct device_type cc2538_usb;

#endif
