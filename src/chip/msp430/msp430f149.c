/* MSP430F149, from its datasheet and SLAU049; register and vector numbers from package msp430mcu. */
#include "chip/msp430/chips.h"
#include "device/msp430/adc12.h"
#include "device/msp430/comparator_a.h"
#include "device/msp430/multiplier.h"
#include "device/msp430/pins.h"
#include "device/msp430/usart.h"
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

static const struct msp430_usart usart0 = {
    .ctl = U0CTL,
    .me = ME1,
    .ie = IE1,
    .ifg = IFG1,
    .rx = URXIFG0,
    .tx = UTXIFG0,
    .rx_line = USART0RX_LINE,
    .tx_line = USART0TX_LINE,
    .line = 0,
    .bus = 0,
    .utxd = MSP430_PIN(3, 4),
    .urxd = MSP430_PIN(3, 5),
    .uclk = MSP430_PIN(3, 3),
    .simo = MSP430_PIN(3, 1),
    .somi = MSP430_PIN(3, 2),
    .ste = MSP430_PIN(3, 0),
    .uart_select = P3SEL,
    .spi_select = P3SEL,
};

static const struct msp430_usart usart1 = {
    .ctl = U1CTL,
    .me = ME2,
    .ie = IE2,
    .ifg = IFG2,
    .rx = URXIFG1,
    .tx = UTXIFG1,
    .rx_line = USART1RX_LINE,
    .tx_line = USART1TX_LINE,
    .line = 1,
    .bus = 1,
    .utxd = MSP430_PIN(3, 6),
    .urxd = MSP430_PIN(3, 7),
    .uclk = MSP430_PIN(5, 3),
    .simo = MSP430_PIN(5, 1),
    .somi = MSP430_PIN(5, 2),
    .ste = MSP430_PIN(5, 0),
    .uart_select = P3SEL,
    .spi_select = P5SEL,
};

/* ---- analog ---- */

static const struct msp430_adc12 adc12 = {
    .ctl0 = ADC12CTL0,
    .ctl1 = ADC12CTL1,
    .ifg = ADC12IFG,
    .ie = ADC12IE,
    .iv = ADC12IV,
    .mctl0 = ADC12MCTL0,
    .mem0 = ADC12MEM0,
    .line = ADC12_LINE,
    .pins = {MSP430_PIN(6, 0), MSP430_PIN(6, 1), MSP430_PIN(6, 2), MSP430_PIN(6, 3), MSP430_PIN(6, 4), MSP430_PIN(6, 5),
             MSP430_PIN(6, 6), MSP430_PIN(6, 7)},
    .settle_seconds = 0.017,
};

static const struct msp430_comparator_a comparator_a = {
    .cactl1 = CACTL1,
    .cactl2 = CACTL2,
    .capd = CAPD,
    .line = COMPARATORA_LINE,
    .ca0 = MSP430_PIN(2, 3),
    .ca1 = MSP430_PIN(2, 4),
    .caout = MSP430_PIN(2, 2),
    .select = P2SEL,
};

static const struct chip_device devices[] = {
    /* clocks, watchdog, special functions */
    FAMILY_CLOCK_DEVICES,

    /* flash, DMA, multiplier */
    {"flash", &msp430_flash, &family_flash},

    {"multiplier", &msp430_multiplier, &multiplier},

    /* ports */

    /* timers */
    FAMILY_TIMER_DEVICES,

    /* ports: after the modules that look at their SEL */
    FAMILY_PORT_DEVICES,

    /* serial */
    {"usart0", &msp430_usart, &usart0},
    {"usart1", &msp430_usart, &usart1},

    /* analog */
    {"adc12", &msp430_adc12, &adc12},
    {"comparator a", &msp430_comparator_a, &comparator_a},

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
