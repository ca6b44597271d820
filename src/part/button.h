/* A push button between a pin and a supply rail.
 *
 * Pressed it drives the pin; released it leaves the pin to a resistor on the board, or to the chip's pull-up. It does
 * not bounce. Invariant: the pin's outside drive is that of the button's state.
 */
#ifndef PART_BUTTON_H
#define PART_BUTTON_H

#include "node/device.h"

struct button {
    uint8_t pin;
    bool active_high; /* to the supply instead of ground */
    bool resistor;    /* the board pulls the pin to the other rail */
};

extern const struct device_type part_button;

void button_press(struct node *n, const struct device *d, bool pressed);
bool button_is_pressed(const struct node *n, const struct device *d);

#endif
