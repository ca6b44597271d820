/* Arduino Mega 2560; and one with an AT45DB041 data flash at the pins of SPI (53 selects it), for firmware that
 * records. */
#include "board/boards.h"
#include "chip/chips.h"
#include "part/at45db.h"
#include "part/led.h"

static const struct led led = {.colour = "yellow", .pin = PIN(B, 7)};

static const struct chip_device parts[] = {
    {"L", &part_led, &led},
};

static const struct at45db_config flash = {.cs = PIN(B, 0), .sck = PIN(B, 1), .si = PIN(B, 2), .so = PIN(B, 3)};

static const struct chip_device parts_with_flash[] = {
    {"L", &part_led, &led},
    {"flash", &at45db_type, &flash},
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

const struct board board_mega_flash = {
    .name = "mega-flash",
    .chip = &chip_atmega2560,
    .hz = 16000000,
    .millivolts = 5000,
    .currents = currents_mega,
    BOARD_PARTS(parts_with_flash),
};
