/* Boards with the CC2538: the SmartRF06 board with the CC2538EM (SWRU321), and the OpenMote-CC2538. UART0 goes to the
 * computer on both. */
#include "board/boards.h"
#include "chip/chips.h"
#include "part/button.h"
#include "part/led.h"

static const struct led red = {.colour = "red", .pin = PIN(C, 0)}, yellow = {.colour = "yellow", .pin = PIN(C, 1)},
                        green = {.colour = "green", .pin = PIN(C, 2)}, orange = {.colour = "orange", .pin = PIN(C, 3)};
static const struct button select = {.pin = PIN(A, 3)}, left = {.pin = PIN(C, 4)}, right = {.pin = PIN(C, 5)},
                           up = {.pin = PIN(C, 6)}, down = {.pin = PIN(C, 7)};

static const struct chip_device parts[] = {
    {"LED1", &part_led, &red},       {"LED2", &part_led, &yellow},      {"LED3", &part_led, &green},
    {"LED4", &part_led, &orange},    {"select", &part_button, &select}, {"left", &part_button, &left},
    {"right", &part_button, &right}, {"up", &part_button, &up},         {"down", &part_button, &down},
};

const struct board board_cc2538dk = {
    .name = "cc2538dk",
    .chip = &chip_cc2538,
    .hz = 32000000,
    .watch_hz = 32768,
    .millivolts = 3300,
    .terminal = 0,
    BOARD_PARTS(parts),
};

static const struct led openmote_red = {.colour = "red", .pin = PIN(C, 4)},
                        openmote_orange = {.colour = "orange", .pin = PIN(C, 5)},
                        openmote_yellow = {.colour = "yellow", .pin = PIN(C, 6)},
                        openmote_green = {.colour = "green", .pin = PIN(C, 7)};
static const struct button openmote_user = {.pin = PIN(C, 3)};

static const struct chip_device openmote_parts[] = {
    {"LED1", &part_led, &openmote_red},   {"LED2", &part_led, &openmote_orange},  {"LED3", &part_led, &openmote_yellow},
    {"LED4", &part_led, &openmote_green}, {"user", &part_button, &openmote_user},
};

const struct board board_openmote = {
    .name = "openmote",
    .chip = &chip_cc2538,
    .hz = 32000000,
    .watch_hz = 32768,
    .millivolts = 3000,
    .terminal = 0,
    BOARD_PARTS(openmote_parts),
};
