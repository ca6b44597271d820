/* Arduino Mega 2560. */
#include "board/boards.h"
#include "chip/avr/chips.h"
#include "part/led.h"

static const struct led led = {.colour = "yellow", .pin = PIN(B, 7)};

static const struct chip_device parts[] = {
    {"L", &part_led, &led},
};

const struct board board_mega = {
    .name = "mega",
    .alias = "mega2560",
    .chip = &chip_atmega2560,
    .hz = 16000000,
    .millivolts = 5000,
    .currents = currents_mega,
    BOARD_PARTS(parts),
};
