/* The analog lines of an AVR by number; their voltages are in device/analog.h. */
#ifndef DEVICE_AVR_ANALOG_H
#define DEVICE_AVR_ANALOG_H

#include "device/analog.h"
#include "node/machine.h"

/* Lines 0-15 are ADC0-ADC15. */
enum {
    AVR_LINE_AIN0 = 16,
    AVR_LINE_AIN1,
    AVR_LINE_AREF,        /* supply unless a source says otherwise */
    AVR_LINE_TEMPERATURE, /* the sensor on the chip */
    AVR_LINES,
};

_Static_assert((unsigned)AVR_LINES <= MACHINE_CHANNELS, "a machine has too few analog channels");

#endif
