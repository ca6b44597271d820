/* A light-emitting diode between a pin and a supply rail.
 *
 * It has no state: it is lit exactly while the chip drives its pin to the level that lets current flow (a pull-up is
 * far too weak), which observers of pins can see.
 */
#ifndef PART_LED_H
#define PART_LED_H

#include "node/device.h"

struct led {
    const char *colour;
    uint8_t pin;
    bool active_low;
};

extern const struct device_type part_led;

bool led_is_lit(const struct node *n, const struct device *d);

/* The LED on a pin of the node's board, NULL if there is none. */
const struct device *led_on_pin(const struct node *n, unsigned pin);

#endif
