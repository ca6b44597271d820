/* Arduino Leonardo and Micro: an ATmega32U4, whose USB is not modelled. The serial port on pins 0 and 1 (Serial1) is
 * the terminal. RX and TX are LEDs from the supply that the core lights for USB traffic. */
#include "board/boards.h"
#include "chip/chips.h"
#include "part/led.h"

static const struct led led = {.colour = "yellow", .pin = PIN(C, 7)};
static const struct led receives = {.colour = "yellow", .pin = PIN(B, 0), .active_low = true};
static const struct led sends = {.colour = "yellow", .pin = PIN(D, 5), .active_low = true};

static const struct chip_device parts[] = {
    {"L", &part_led, &led},
    {"RX", &part_led, &receives},
    {"TX", &part_led, &sends},
};

#define LEONARDO                                                                                                \
    .chip = &chip_atmega32u4, .hz = 16000000, .millivolts = 5000, .terminal = 1, .currents = currents_leonardo, \
    BOARD_PARTS(parts)

const struct board board_leonardo = {.name = "leonardo", LEONARDO};
const struct board board_micro = {.name = "micro", LEONARDO};
