/* USB, in words only: the controller of ATmega16U4 and 32U4 is not modelled.
 *
 * Its registers keep what is written, nothing is ever connected, and no USB interrupt comes. The first write to one of
 * them is reported (node_unspecified), so that firmware which waits for a host does not do so in silence.
 */
#ifndef DEVICE_AVR_USB_H
#define DEVICE_AVR_USB_H

#include "node/device.h"

struct avr_usb {
    const uint16_t *registers;
    size_t count;
};

extern const struct device_type avr_usb;

#endif
