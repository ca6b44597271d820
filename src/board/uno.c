/* Arduino Uno R3; and one with an AT45DB041 data flash on a shield, at the pins of SPI (10 selects it), for firmware
 * that records. */
#include "board/boards.h"
#include "chip/chips.h"
#include "part/at45db.h"
#include "part/led.h"

static const struct led led = {.colour = "yellow", .pin = PIN(B, 5)};

static const struct chip_device parts[] = {
    {"L", &part_led, &led},
};

static const struct at45db_config flash = {.cs = PIN(B, 2), .sck = PIN(B, 5), .si = PIN(B, 3), .so = PIN(B, 4)};

static const struct chip_device parts_with_flash[] = {
    {"L", &part_led, &led},
    {"flash", &at45db_type, &flash},
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

const struct board board_uno_flash = {
    .name = "uno-flash",
    .chip = &chip_atmega328p,
    .hz = 16000000,
    .millivolts = 5000,
    .currents = currents_uno,
    BOARD_PARTS(parts_with_flash),
};
