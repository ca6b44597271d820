/* Pins of an MSP430, as its datasheet names them: MSP430_PIN(3, 4) is P3.4. */
#ifndef DEVICE_MSP430_PINS_H
#define DEVICE_MSP430_PINS_H

#include "node/pins.h"

#define MSP430_PIN(port, bit) (((port)-1u) * 8u + (bit))

#endif
