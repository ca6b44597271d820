/* The analog lines of an MSP430 by number; their voltages are in device/analog.h. */
#ifndef DEVICE_MSP430_ANALOG_H
#define DEVICE_MSP430_ANALOG_H

#include "device/analog.h"

/* Lines 0-7 are A0-A7. Those of the ADC have the numbers of its input channels. */
enum {
    MSP430_LINE_VEREF_PLUS = 8, /* supply unless a source says otherwise */
    MSP430_LINE_VREF_MINUS,     /* VREF-/VeREF-, ground unless a source says otherwise */
    MSP430_LINE_TEMPERATURE,    /* the sensor on the chip */
    MSP430_LINE_CA0 = 16,
    MSP430_LINE_CA1,
};

#endif
