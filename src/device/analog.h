/* The voltage on an analog line of a chip.
 *
 * It comes from the user's source, else from a device or part wired to the line (wire_analog), else from the pin's
 * digital level, which counts as ground or supply. A pin that is an output drives its line, even against a source
 * outside. Invariant: a line has one voltage at a tick, for all readers.
 */
#ifndef DEVICE_ANALOG_H
#define DEVICE_ANALOG_H

#include <stdint.h>

#include "node/node.h"

/* Microvolts on a line that has (or, with PIN_NONE, has not) a port pin of its own. */
int32_t analog_voltage(struct node *n, unsigned line, unsigned pin);

/* A source other than the digital level determines the line, so that it may change without a pin changing. */
bool analog_has_source(const struct node *n, unsigned line);

int32_t analog_supply(const struct node *n); /* microvolts */

#endif
