/* TelosB, sold by Moteiv as Tmote Sky: MSP430F1611, serial flash, sensors (Tmote Sky datasheet). The USB side is
 * USART1, hence the terminal; USART0 is the SPI bus of flash and radio. */
#include "board/boards.h"
#include "chip/chips.h"
#include "device/msp430/pins.h"
#include "part/button.h"
#include "part/cc2420.h"
#include "part/ds2411.h"
#include "part/led.h"
#include "part/m25p80.h"
#include "part/photodiode.h"
#include "part/sht11.h"

static const struct led red = {.colour = "red", .pin = MSP430_PIN(5, 4), .active_low = true};
static const struct led green = {.colour = "green", .pin = MSP430_PIN(5, 5), .active_low = true};
static const struct led blue = {.colour = "blue", .pin = MSP430_PIN(5, 6), .active_low = true};
static const struct button user = {.pin = MSP430_PIN(2, 7), .resistor = true};
static const struct m25p80 flash = {
    .bus = 0,
    .select = MSP430_PIN(4, 4),
    .hold = MSP430_PIN(4, 7),
    .write_protect = PIN_NONE,
    .clock = MSP430_PIN(3, 3),
    .in = MSP430_PIN(3, 1),
    .out = MSP430_PIN(3, 2),
};
static const struct cc2420_config radio = {
    .bus = 0,
    .csn = MSP430_PIN(4, 2),
    .vreg_en = MSP430_PIN(4, 5),
    .resetn = MSP430_PIN(4, 6),
    .fifo = MSP430_PIN(1, 3),
    .fifop = MSP430_PIN(1, 0),
    .sfd = MSP430_PIN(4, 1),
    .cca = MSP430_PIN(1, 4),
};
static const struct ds2411 serial_number = {.pin = MSP430_PIN(2, 4)};
static const struct sht11 climate = {
    .data = MSP430_PIN(1, 5),
    .clock = MSP430_PIN(1, 6),
    .power = MSP430_PIN(1, 7),
    .temperature_line = 18,
    .humidity_line = 19,
    .temperature = 25000000,
    .humidity = 50000000,
};
/* S1087 and S1087-01 over 100 kOhm, in an office. The conversions are those of the Tmote Sky's software: 0.625e9 and
 * 0.0769e9 lux for each ampere. */
static const struct photodiode active_light = {.line = 4, .microvolts = 100000, .microvolts_per_lux = 160};
static const struct photodiode total_light = {.line = 5, .microvolts = 200000, .microvolts_per_lux = 1300};

static const struct chip_device parts[] = {
    {"red", &part_led, &red},
    {"green", &part_led, &green},
    {"blue", &part_led, &blue},
    {"user", &part_button, &user},
    {"flash", &part_m25p80, &flash},
    {"radio", &cc2420_type, &radio},
    {"serial number", &part_ds2411, &serial_number},
    {"climate", &part_sht11, &climate},
    {"photosynthetic light", &part_photodiode, &active_light},
    {"total light", &part_photodiode, &total_light},
};

static const struct board_radio_bus bus = {.out = "U0TXBUF", .in = "U0RXBUF", .select = "P4OUT", .select_bit = 2};

const struct board board_telosb = {
    .name = "telosb",
    .alias = "sky",
    .chip = &chip_msp430f1611,
    .hz = UINT64_C(1) << 30, /* the chip's time base */
    .watch_hz = 32768,
    .millivolts = 3000,
    .terminal = 1,
    .currents = currents_telosb,
    .radio_bus = &bus,
    BOARD_PARTS(parts),
};
