/* The Mica family of sensor nodes by Crossbow and Memsic: MICA2 (MPR400), MICAz (MPR2400) and IRIS (XM2110). All have
 * three LEDs from the supply to port A, as TinyOS names them, a data flash, a serial number, and each its radio. */
#include "board/boards.h"
#include "chip/chips.h"
#include "part/at45db.h"
#include "part/at86rf230.h"
#include "part/cc1000.h"
#include "part/cc2420.h"
#include "part/ds2411.h"
#include "part/led.h"

static const struct led red = {.colour = "red", .pin = PIN(A, 2), .active_low = true};
static const struct led green = {.colour = "green", .pin = PIN(A, 1), .active_low = true};
static const struct led yellow = {.colour = "yellow", .pin = PIN(A, 0), .active_low = true};

/* As wired on MPR400 (MPR410 and MPR420 have the same with other frequencies). */
static const struct cc1000_config cc1000 = {
    .pclk = PIN(D, 6),
    .pdata = PIN(D, 7),
    .pale = PIN(D, 4),
    .bus = 0,
    .rssi = 0,
    .chp_out = PIN(A, 6),
    .crystal = 14745600,
};

/* As wired on MPR2400. */
static const struct cc2420_config cc2420 = {
    .bus = 0,
    .csn = PIN(B, 0),
    .vreg_en = PIN(A, 5),
    .resetn = PIN(A, 6),
    .fifo = PIN(B, 7),
    .fifop = PIN(E, 6),
    .sfd = PIN(D, 4),
    .cca = PIN(D, 6),
};

/* As wired on XM2110. */
static const struct at86rf230_config at86rf230 = {
    .bus = 0,
    .sel = PIN(B, 0),
    .rstn = PIN(A, 6),
    .slp_tr = PIN(B, 7),
    .irq = PIN(D, 4),
};

/* A DS2401, which differs from the DS2411 by where its power comes from. */
static const struct ds2411 serial_number = {.pin = PIN(A, 4)};
static const struct at45db_config flash = {.cs = PIN(A, 3), .sck = PIN(D, 5), .si = PIN(D, 3), .so = PIN(D, 2)};

static const struct chip_device mica2_parts[] = {
    {"red", &part_led, &red},
    {"green", &part_led, &green},
    {"yellow", &part_led, &yellow},
    {"flash", &at45db_type, &flash},
    {"serial number", &part_ds2411, &serial_number},
    {"radio", &cc1000_type, &cc1000},
};

static const struct chip_device micaz_parts[] = {
    {"red", &part_led, &red},
    {"green", &part_led, &green},
    {"yellow", &part_led, &yellow},
    {"flash", &at45db_type, &flash},
    {"serial number", &part_ds2411, &serial_number},
    {"radio", &cc2420_type, &cc2420},
};

static const struct chip_device iris_parts[] = {
    {"red", &part_led, &red},
    {"green", &part_led, &green},
    {"yellow", &part_led, &yellow},
    {"flash", &at45db_type, &flash},
    {"serial number", &part_ds2411, &serial_number},
    {"radio", &at86rf230_type, &at86rf230},
};

/* TinyOS programs extended 0xff and high 0xd9, which switches JTAG off, with every image
 * (support/make/targets/micaz.target, mica2.target, iris.target; the last also low 0xff). */
static const uint8_t fuses[] = {0xff, 0xd9, 0xff};

static const struct board_radio_bus bus = {
    .out = "SPDR", .in = "SPDR", .select = "PORTB", .select_bit = 0, .start = "PORTB", .start_bit = 7};

/* The SPI carries the bits of the CC1000, and nothing else. */
static const struct board_radio_bus bits = {.out = "SPDR", .in = "SPDR"};

#define MICA .hz = 7372800, .watch_hz = 32768, .millivolts = 3000, .fuses = fuses

const struct board board_mica2 = {.name = "mica2",
                                  .chip = &chip_atmega128,
                                  MICA,
                                  .currents = currents_mica2,
                                  .radio_bus = &bits,
                                  BOARD_PARTS(mica2_parts)};
const struct board board_micaz = {.name = "micaz",
                                  .chip = &chip_atmega128,
                                  MICA,
                                  .currents = currents_micaz,
                                  .radio_bus = &bus,
                                  BOARD_PARTS(micaz_parts)};
const struct board board_iris = {.name = "iris",
                                 .chip = &chip_atmega1281,
                                 MICA,
                                 .currents = currents_iris,
                                 .radio_bus = &bus,
                                 BOARD_PARTS(iris_parts)};
