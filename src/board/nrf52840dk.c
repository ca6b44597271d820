/* nRF52840 DK, PCA10056 (its user guide, v1.3): four LEDs and four buttons; UARTE0 goes to the interface chip. */
#include "board/boards.h"
#include "chip/chips.h"
#include "device/nrf52/gpio.h"
#include "part/button.h"
#include "part/led.h"

static const struct led led1 = {.colour = "green", .pin = NRF52_PIN(0, 13), .active_low = true};
static const struct led led2 = {.colour = "green", .pin = NRF52_PIN(0, 14), .active_low = true};
static const struct led led3 = {.colour = "green", .pin = NRF52_PIN(0, 15), .active_low = true};
static const struct led led4 = {.colour = "green", .pin = NRF52_PIN(0, 16), .active_low = true};
static const struct button button1 = {.pin = NRF52_PIN(0, 11)}, button2 = {.pin = NRF52_PIN(0, 12)},
                           button3 = {.pin = NRF52_PIN(0, 24)}, button4 = {.pin = NRF52_PIN(0, 25)};

static const struct chip_device parts[] = {
    {"LED1", &part_led, &led1},          {"LED2", &part_led, &led2},          {"LED3", &part_led, &led3},
    {"LED4", &part_led, &led4},          {"button1", &part_button, &button1}, {"button2", &part_button, &button2},
    {"button3", &part_button, &button3}, {"button4", &part_button, &button4},
};

const struct board board_nrf52840dk = {
    .name = "nrf52840dk",
    .chip = &chip_nrf52840,
    .hz = 64000000,
    .watch_hz = 32768,
    .millivolts = 3000,
    .terminal = 0,
    BOARD_PARTS(parts),
};
