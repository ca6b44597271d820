/* SAM R21 Xplained Pro (its user guide, 42243): an LED, a button, and the AT86RF233 of the package. SERCOM0 goes to the
 * interface chip. The button pulls its pin low; the resistor is the chip's. */
#include "board/boards.h"
#include "chip/chips.h"
#include "device/samr21/port.h"
#include "part/at86rf230.h"
#include "part/button.h"
#include "part/led.h"

static const struct led yellow = {.colour = "yellow", .pin = SAMR21_PIN(0, 19), .active_low = true};
static const struct button button = {.pin = SAMR21_PIN(0, 28)};
static const struct at86rf230_config radio = {
    .bus = 4,
    .sel = SAMR21_PIN(1, 31),
    .rstn = SAMR21_PIN(1, 15),
    .slp_tr = SAMR21_PIN(0, 20),
    .irq = SAMR21_PIN(1, 0),
    .is_233 = true,
};

static const struct chip_device parts[] = {
    {"LED0", &part_led, &yellow},
    {"button", &part_button, &button},
    {"radio", &at86rf230_type, &radio},
};

const struct board board_samr21xpro = {
    .name = "samr21-xpro",
    .chip = &chip_samr21g18a,
    .hz = 96000000, /* the chip's time base */
    .watch_hz = 32768,
    .millivolts = 3300,
    .terminal = 0,
    BOARD_PARTS(parts),
};
