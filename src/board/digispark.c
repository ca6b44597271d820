/* Digispark: an ATtiny85 at 16.5 MHz from its PLL, with an LED on pin 1. Its USB is made of software and the pins 3 and
 * 4 (resistors and Zener diodes); no host is connected to them here. The chip has no UART, so there is no terminal. */
#include "board/boards.h"
#include "chip/chips.h"
#include "part/led.h"

static const struct led led = {.colour = "red", .pin = PIN(B, 1)};

static const struct chip_device parts[] = {
    {"L", &part_led, &led},
};

const struct board board_digispark = {
    .name = "digispark",
    .chip = &chip_attiny85,
    .hz = 16500000,
    .millivolts = 5000,
    .currents = currents_digispark,
    BOARD_PARTS(parts),
};
