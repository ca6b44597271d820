/* Three LEDs; a board with fewer has pins for the others. */
#ifndef KIT_LEDS_H
#define KIT_LEDS_H

#include <stdint.h>

#define LED_0 1
#define LED_1 2
#define LED_2 4

void leds_set(uint8_t on);
void leds_toggle(uint8_t which);

#endif
