/* MSP430F1611, from its datasheet and SLAU049; register and vector numbers from package msp430mcu. */
#include "chip/msp430/chips.h"
#include "device/msp430/svs.h"
#include "device/simulation.h"
#include "isa/msp430/msp430.h"
#include "node/pins.h"
#include "registers/msp430f1611.h"
#include "chip/msp430/family.h"

/* ---- clocks, watchdog, special functions, supply supervisor ---- */

/* Datasheet, "Supply Voltage Supervisor": typical falling thresholds. */
static const struct msp430_svs svs = {
    .control = SVSCTL,
    .millivolts = {0, 1900, 2100, 2200, 2300, 2400, 2500, 2650, 2800, 2900, 3050, 3200, 3350, 3500, 3700, 0},
};

/* ---- flash, DMA, multiplier ---- */

/* ---- ports ---- */

/* ---- timers ---- */

/* ---- serial ---- */

/* ---- analog ---- */

static const struct chip_device devices[] = {
    /* clocks, watchdog, special functions, supply supervisor */
    FAMILY_CLOCK_DEVICES,
    {"svs", &msp430_svs, &svs},

    /* flash, DMA, multiplier */
    {"flash", &msp430_flash, &family_flash},

    /* timers */
    FAMILY_TIMER_DEVICES,

    /* ports: after the modules that look at their SEL */
    FAMILY_PORT_DEVICES,

    /* serial */

    /* analog */

    {"motet port", &simulation_port, NULL},
};

static const struct msp430_core core = {
    .flash_start = 0x4000,
    .info_start = 0x1000,
    .info_size = 0x100,
    .boot_start = 0x0c00,
    .boot_size = 0x400,
    .mirror_start = 0x0200,
    .mirror_size = 0x800,
};

/* The time base is 2^30 ticks a second: fine enough for every setting of the DCO, and a whole number of ticks a cycle
 * of the 32768 Hz crystal. */
const struct chip chip_msp430f1611 = {
    .name = "msp430f1611",
    .isa = &isa_msp430,
    .core = &core,
    .flash_size = 0x10000, /* by address: program memory lies in the one address space */
    .ram_start = 0x1100,
    .ram_size = 0x2800,
    .ports = "123456",
    .default_hz = UINT64_C(1) << 30,
    CHIP_DEVICES(devices),
};
