/* MSP430F149, from its datasheet and SLAU049; register and vector numbers from package msp430mcu. */
#include "registers/msp430f149.h"

#include "chip/msp430/family.h"

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
    {"multiplier", &msp430_multiplier, &family_multiplier},

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

static const struct region regions[] = {
    FAMILY_REGISTERS,
    {0x0200, 0x0800, REGION_RAM, 16, 0x0200},
    FAMILY_BOOT_AND_INFORMATION,
    {0x1100, 0xef00, REGION_FLASH, 16, 0x1100},
};

const struct chip chip_msp430f149 = {
    .name = "msp430f149",
    FAMILY_CHIP,
};
