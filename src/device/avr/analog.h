/* The analog side of an AVR: numbers of the lines and the voltage on them.
 *
 * A voltage comes from the user's source, else from a part wired to the line (wire_analog), else from the pin's digital
 * level, which counts as ground or supply. A pin that is an output drives its line whatever comes from outside.
 * Invariant: a line has one voltage at a tick, whoever asks.
 */
#ifndef DEVICE_AVR_ANALOG_H
#define DEVICE_AVR_ANALOG_H

#include <stdint.h>

#include "node/node.h"

/* Lines 0-15 are ADC0-ADC15. */
enum {
    AVR_LINE_AIN0 = 16,
    AVR_LINE_AIN1,
    AVR_LINE_AREF,        /* supply unless a source says otherwise */
    AVR_LINE_TEMPERATURE, /* the sensor on the chip */
    AVR_LINES,
};

/* Microvolts on a line that has (or, with PIN_NONE, has not) a port pin of its own. */
int32_t avr_analog(struct node *n, unsigned line, unsigned pin);

/* Somebody other than the digital level determines the line, so that it may change without a pin changing. */
bool avr_analog_has_source(const struct node *n, unsigned line);

int32_t avr_supply(const struct node *n); /* microvolts */

#endif
