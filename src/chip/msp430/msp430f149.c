/* MSP430F149, from its datasheet and SLAU049; register and vector numbers from package msp430mcu. */
#include "chip/msp430/chips.h"
#include "device/msp430/multiplier.h"
#include "device/simulation.h"
#include "isa/msp430/msp430.h"
#include "node/pins.h"
#include "registers/msp430f149.h"

#include "chip/msp430/family.h"

/* ---- clocks, watchdog, special functions ---- */

/* ---- flash, DMA, multiplier ---- */

static const struct msp430_multiplier multiplier = {.mpy = MPY};

/* ---- ports ---- */

/* ---- timers ---- */

/* ---- serial ---- */

static const struct msp430_usart usart0 = {FAMILY_USART_0};
static const struct msp430_usart usart1 = {FAMILY_USART_1};

/* ---- analog ---- */

static const struct msp430_adc12 adc12 = {FAMILY_ADC12};

static const struct chip_device devices[] = {
    /* clocks, watchdog, special functions */
    FAMILY_CLOCK_DEVICES,

    /* flash, DMA, multiplier */
    {"flash", &msp430_flash, &family_flash},

    {"multiplier", &msp430_multiplier, &multiplier},

    /* timers */
    FAMILY_TIMER_DEVICES,

    /* ports: after the modules that look at their SEL */
    FAMILY_PORT_DEVICES,

    /* serial */
    {"usart0", &msp430_usart, &usart0},
    {"usart1", &msp430_usart, &usart1},

    /* analog */
    {"adc12", &msp430_adc12, &adc12},
    {"comparator a", &msp430_comparator_a, &family_comparator_a},

    {"motet port", &simulation_port, NULL},
};

static const struct msp430_core core = {
    .flash_start = 0x1100,
    .info_start = 0x1000,
    .info_size = 0x100,
    .boot_start = 0x0c00,
    .boot_size = 0x400,
};

/* The time base is 2^30 ticks a second: fine enough for every setting of the DCO, and a whole number of ticks a cycle
 * of the 32768 Hz crystal. */
const struct chip chip_msp430f149 = {
    .name = "msp430f149",
    .isa = &isa_msp430,
    .core = &core,
    .flash_size = 0x10000, /* by address: program memory lies in the one address space */
    .program_bytes = 0xef00 + 0x100,
    .ram_start = 0x0200,
    .ram_size = 0x0800,
    .ports = "123456",
    .default_hz = UINT64_C(1) << 30,
    .reset_hz = 770000,
    CHIP_DEVICES(devices),
};
