/* MSP430F1611, from its datasheet and SLAU049; register and vector numbers from package msp430mcu. */
#include "registers/msp430f1611.h"

#include "chip/msp430/family.h"
#include "device/msp430/dac12.h"
#include "device/msp430/dma.h"
#include "device/msp430/shared_line.h"
#include "device/msp430/svs.h"

/* ---- clocks, watchdog, special functions, supply supervisor ---- */

/* Datasheet, "Supply Voltage Supervisor": typical falling thresholds. */
static const struct msp430_svs svs = {
    .control = SVSCTL,
    .millivolts = {0, 1900, 2100, 2200, 2300, 2400, 2500, 2650, 2800, 2900, 3050, 3200, 3350, 3500, 3700, 0},
};

/* ---- flash, DMA, multiplier ---- */

/* Triggers of the DMA controller (SLAU049, table 8-2). */
enum {
    DMA_TACCR2 = 1,
    DMA_TBCCR2,
    DMA_URXIFG0,
    DMA_UTXIFG0,
    DMA_DAC12,
    DMA_ADC12,
    DMA_TACCR0,
    DMA_TBCCR0,
    DMA_URXIFG1,
    DMA_UTXIFG1,
    DMA_MULTIPLIER,
};

#define DMA_TRIGGER(trigger_)                    \
    {                                            \
        .select = DMACTL0, .trigger = (trigger_) \
    }
#define DMA_SERIAL_FLAG(number, mask)                                                                 \
    {                                                                                                 \
        .flag_register = IFG##number, .enable_register = IE##number, .flag = (mask), .enable = (mask) \
    }

static const struct msp430_shared_line dac_dma_line = {
    .line = DACDMA_LINE,
    .count = 5,
    .sources =
        {
            {DMA0CTL, DMAIFG, DMAIE},
            {DMA1CTL, DMAIFG, DMAIE},
            {DMA2CTL, DMAIFG, DMAIE},
            {DAC12_0CTL, DAC12IFG, DAC12IE},
            {DAC12_1CTL, DAC12IFG, DAC12IE},
        },
};

static const struct msp430_dma dma = {
    .ctl0 = DMACTL0,
    .ctl1 = DMACTL1,
    .channels = {DMA0CTL, DMA1CTL, DMA2CTL},
    .external = MSP430_PIN(2, 6),
    .nmi_line = MSP430_LINE_NMI,
    .flags =
        {
            [DMA_TACCR2] = {.timer = &family_timer_a, .block = 2},
            [DMA_TBCCR2] = {.timer = &family_timer_b, .block = 2},
            [DMA_URXIFG0] = DMA_SERIAL_FLAG(1, URXIFG0),
            [DMA_UTXIFG0] = DMA_SERIAL_FLAG(1, UTXIFG0),
            [DMA_DAC12] = {.flag_register = DAC12_0CTL,
                           .enable_register = DAC12_0CTL,
                           .flag = DAC12IFG,
                           .enable = DAC12IE,
                           .word = true},
            [DMA_TACCR0] = {.timer = &family_timer_a, .block = 0},
            [DMA_TBCCR0] = {.timer = &family_timer_b, .block = 0},
            [DMA_URXIFG1] = DMA_SERIAL_FLAG(2, URXIFG1),
            [DMA_UTXIFG1] = DMA_SERIAL_FLAG(2, UTXIFG1),
        },
    .interrupt = &dac_dma_line,
};

/* ---- serial ---- */

static const struct msp430_usart_i2c i2c = {
    .ie = I2CIE, .ifg = I2CIFG, .ndat = I2CNDAT, .oa = I2COA, .sa = I2CSA, .iv = I2CIV, .bus = 0};

static const struct msp430_usart usart0 = {
    FAMILY_USART_0,
    .dma_rx = DMA_TRIGGER(DMA_URXIFG0),
    .dma_tx = DMA_TRIGGER(DMA_UTXIFG0),
    .i2c = &i2c,
};

static const struct msp430_usart usart1 = {
    FAMILY_USART_1,
    .dma_rx = DMA_TRIGGER(DMA_URXIFG1),
    .dma_tx = DMA_TRIGGER(DMA_UTXIFG1),
};

/* ---- analog ---- */

static const struct msp430_adc12 adc12 = {FAMILY_ADC12, .ready = DMA_TRIGGER(DMA_ADC12)};

static const struct msp430_dac12 dac12 = {
    .ctl = {DAC12_0CTL, DAC12_1CTL},
    .dat = {DAC12_0DAT, DAC12_1DAT},
    .lines = {6, 7},
    .interrupt = &dac_dma_line,
    .latched = DMA_TRIGGER(DMA_DAC12),
};

static const struct chip_device devices[] = {
    /* clocks, watchdog, special functions, supply supervisor */
    FAMILY_CLOCK_DEVICES,
    {"svs", &msp430_svs, &svs},

    /* flash, DMA, multiplier */
    {"flash", &msp430_flash, &family_flash},
    {"dma", &msp430_dma, &dma},
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
    {"dac12", &msp430_dac12, &dac12},

    {"motet port", &simulation_port, NULL},
};

static const struct region regions[] = {
    FAMILY_REGISTERS,
    {0x0200, 0x0800, REGION_ALIAS, 16, 0x1100}, /* of the beginning of RAM */
    FAMILY_BOOT_AND_INFORMATION,
    {0x1100, 0x2800, REGION_RAM, 16, 0x1100},
    {0x4000, 0xc000, REGION_FLASH, 16, 0x4000},
};

const struct chip chip_msp430f1611 = {
    .name = "msp430f1611",
    FAMILY_CHIP,
};
