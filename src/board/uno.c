/* Arduino Uno R3. */
#include "board/boards.h"
#include "chip/avr/chips.h"
#include "part/led.h"

static const struct led led = {.colour = "yellow", .pin = PIN(B, 5)};

static const struct chip_device parts[] = {
    {"L", &part_led, &led},
};

const struct board board_uno = {
    .name = "uno",
    .alias = "arduino",
    .chip = &chip_atmega328p,
    .hz = 16000000,
    .millivolts = 5000,
    .currents = currents_uno,
    BOARD_PARTS(parts),
};
