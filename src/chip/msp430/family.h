/* What the MSP430 chips with 64 pins of the x13x/x14x/x15x/x16x families have in common, as tables: clocks, watchdog,
 * flash, ports, timers, serial and analog modules. To be included after the chip's registers.
 */
#ifndef CHIP_MSP430_FAMILY_H
#define CHIP_MSP430_FAMILY_H

#include "chip/chips.h"
#include "device/msp430/adc12.h"
#include "device/msp430/basic_clock.h"
#include "device/msp430/clock_output.h"
#include "device/msp430/clocks.h"
#include "device/msp430/comparator_a.h"
#include "device/msp430/flash.h"
#include "device/msp430/multiplier.h"
#include "device/msp430/nmi.h"
#include "device/msp430/port.h"
#include "device/msp430/timer.h"
#include "device/msp430/usart.h"
#include "device/msp430/watchdog.h"
#include "device/simulation.h"
#include "isa/msp430/msp430.h"
#include "node/pins.h"

/* Modules of 8 bits and special function registers, then those of 16 (SLAU049, 1.4). */
#define FAMILY_REGISTERS                             \
    {0x0000, 0x0100, REGION_REGISTERS, 8, 0x0000},   \
    {                                                \
        0x0100, 0x0100, REGION_REGISTERS, 16, 0x0100 \
    }

/* The bootstrap loader, and flash for data. */
#define FAMILY_BOOT_AND_INFORMATION                    \
    {0x0c00, 0x0400, REGION_ROM, 16, 0x0c00},          \
    {                                                  \
        0x1000, 0x0100, REGION_INFORMATION, 16, 0x1000 \
    }

/* Beyond the ports: no port register reaches it. */
#define FAMILY_RESET_PIN MSP430_PIN(7, 0)

/* MSP430F1611 datasheet (SLAS368), page 36, "DCO": typical figures at 3 V, as WSim's basic clock has them.
 * The step joins f(DCO73) and f(DCO77) = 4.9 MHz; the typical ratio is given as 1.12. */
static const struct msp430_basic_clock family_clock = {
    .dcoctl = DCOCTL,
    .bcsctl1 = BCSCTL1,
    .bcsctl2 = BCSCTL2,
    .fault_flag = BIT(IFG1, 1),
    .dco_hz = {130e3, 180e3, 280e3, 470e3, 750e3, 1.3e6, 2.0e6, 3.2e6},
    .dco_step = 1.112,
};

#define FAMILY_CLOCK_PIN(port, bit)                                            \
    {                                                                          \
        .pin = MSP430_PIN(port, bit), .sel = P##port##SEL, .dir = P##port##DIR \
    }
static const struct msp430_clock_output family_aclk = {MSP430_ACLK, {FAMILY_CLOCK_PIN(2, 0), FAMILY_CLOCK_PIN(5, 6)}},
                                        family_smclk = {MSP430_SMCLK, {FAMILY_CLOCK_PIN(1, 4), FAMILY_CLOCK_PIN(5, 5)}},
                                        family_mclk = {MSP430_MCLK, {FAMILY_CLOCK_PIN(5, 4), {.pin = PIN_NONE}}};

static const struct msp430_nmi family_nmi = {
    .pin = {.flag = BIT(IFG1, 4), .enable = BIT(IE1, 4)},
    .oscillator = {.flag = BIT(IFG1, 1), .enable = BIT(IE1, 1)},
    .flash = {.flag = BIT(FCTL3, 2), .enable = BIT(IE1, 5)},
    .watchdog_control = WDTCTL,
    .reset_pin = FAMILY_RESET_PIN,
    .line = NMI_LINE,
};

static const struct msp430_watchdog family_watchdog = {
    .control = WDTCTL,
    .flag = BIT(IFG1, 0),
    .enable = BIT(IE1, 0),
    .line = WDT_LINE,
};

/* Datasheet, "Flash Memory": cycles of the flash timing generator. */
static const struct msp430_flash family_flash = {
    .control = {FCTL1, FCTL2, FCTL3},
    .segment = 512,
    .info_segment = 128,
    .word = 35,
    .first = 30,
    .next = 21,
    .after = 6,
    .erase = 4819,
    .mass_erase = 5297,
};

#define FAMILY_PORT(n)            .number = n, .in = P##n##IN, .out = P##n##OUT, .dir = P##n##DIR, .sel = P##n##SEL
#define FAMILY_PORT_INTERRUPTS(n) .ie = P##n##IE, .ies = P##n##IES, .ifg = P##n##IFG, .line = PORT##n##_LINE
static const struct msp430_port family_ports[6] = {
    {FAMILY_PORT(1), FAMILY_PORT_INTERRUPTS(1)},
    {FAMILY_PORT(2), FAMILY_PORT_INTERRUPTS(2)},
    {FAMILY_PORT(3)},
    {FAMILY_PORT(4)},
    {FAMILY_PORT(5)},
    {FAMILY_PORT(6), .analog = true},
};

/* Datasheet, "Timer_A3 Signal Connections". */
static const struct msp430_timer family_timer_a = {
    .control = TACTL,
    .count = TAR,
    .vector = TAIV,
    .block_control = TACCTL0,
    .compare = TACCR0,
    .blocks = 3,
    .overflow_vector = 0x0a,
    .line_0 = TIMERA0_LINE,
    .line = TIMERA1_LINE,
    .clock_pin = MSP430_PIN(1, 0),
    .inverse_pin = MSP430_PIN(2, 1),
    .high_pin = PIN_NONE,
    .block =
        {
            {{MSP430_PIN(1, 1), MSP430_PIN(2, 2)}, {MSP430_PIN(1, 1), MSP430_PIN(1, 5), MSP430_PIN(2, 7)}},
            {{MSP430_PIN(1, 2), MSP430_TIMER_INTERNAL}, {MSP430_PIN(1, 2), MSP430_PIN(1, 6), MSP430_PIN(2, 3)}},
            {{MSP430_PIN(1, 3), MSP430_TIMER_ACLK}, {MSP430_PIN(1, 3), MSP430_PIN(1, 7), MSP430_PIN(2, 4)}},
        },
};

/* Datasheet, "Timer_B7 Signal Connections". */
#define FAMILY_TIMER_B_BLOCK(bit, other)           \
    {                                              \
        {MSP430_PIN(4, bit), (other)},             \
        {                                          \
            MSP430_PIN(4, bit), PIN_NONE, PIN_NONE \
        }                                          \
    }
static const struct msp430_timer family_timer_b = {
    .control = TBCTL,
    .count = TBR,
    .vector = TBIV,
    .block_control = TBCCTL0,
    .compare = TBCCR0,
    .blocks = 7,
    .latches = true,
    .overflow_vector = 0x0e,
    .line_0 = TIMERB0_LINE,
    .line = TIMERB1_LINE,
    .clock_pin = MSP430_PIN(4, 7),
    .inverse_pin = MSP430_PIN(4, 7),
    .high_pin = MSP430_PIN(5, 7),
    .block =
        {
            FAMILY_TIMER_B_BLOCK(0, MSP430_PIN(4, 0)),
            FAMILY_TIMER_B_BLOCK(1, MSP430_PIN(4, 1)),
            FAMILY_TIMER_B_BLOCK(2, MSP430_PIN(4, 2)),
            FAMILY_TIMER_B_BLOCK(3, MSP430_PIN(4, 3)),
            FAMILY_TIMER_B_BLOCK(4, MSP430_PIN(4, 4)),
            FAMILY_TIMER_B_BLOCK(5, MSP430_PIN(4, 5)),
            FAMILY_TIMER_B_BLOCK(6, MSP430_TIMER_ACLK),
        },
};

/* Serial lines and SPI buses have the numbers of their USARTs. Masks are the same in IE, IFG and ME. */
#define FAMILY_USART(n, sfr, rx_, tx_)                                                                              \
    .ctl = U##n##CTL, .me = ME##sfr, .ie = IE##sfr, .ifg = IFG##sfr, .rx = (rx_), .tx = (tx_), .line = n, .bus = n, \
    .rx_line = USART##n##RX_LINE, .tx_line = USART##n##TX_LINE
#define FAMILY_USART_0                                                                        \
    FAMILY_USART(0, 1, URXIFG0, UTXIFG0), .utxd = MSP430_PIN(3, 4), .urxd = MSP430_PIN(3, 5), \
                                          .uclk = MSP430_PIN(3, 3), .simo = MSP430_PIN(3, 1), \
                                          .somi = MSP430_PIN(3, 2), .ste = MSP430_PIN(3, 0)
#define FAMILY_USART_1                                                                        \
    FAMILY_USART(1, 2, URXIFG1, UTXIFG1), .utxd = MSP430_PIN(3, 6), .urxd = MSP430_PIN(3, 7), \
                                          .uclk = MSP430_PIN(5, 3), .simo = MSP430_PIN(5, 1), \
                                          .somi = MSP430_PIN(5, 2), .ste = MSP430_PIN(5, 0)

#define FAMILY_ADC12                                                                                          \
    .ctl0 = ADC12CTL0, .ctl1 = ADC12CTL1, .ifg = ADC12IFG, .ie = ADC12IE, .iv = ADC12IV, .mctl0 = ADC12MCTL0, \
    .mem0 = ADC12MEM0, .line = ADC12_LINE, .settle_seconds = 0.017,                                           \
    .pins = {MSP430_PIN(6, 0), MSP430_PIN(6, 1), MSP430_PIN(6, 2), MSP430_PIN(6, 3),                          \
             MSP430_PIN(6, 4), MSP430_PIN(6, 5), MSP430_PIN(6, 6), MSP430_PIN(6, 7)},                         \
    .outputs = {                                                                                              \
        [MSP430_TA_OUT1] = {&family_timer_a, 1},                                                              \
        [MSP430_TB_OUT0] = {&family_timer_b, 0},                                                              \
        [MSP430_TB_OUT1] = {&family_timer_b, 1},                                                              \
        [MSP430_TB_OUT2] = {&family_timer_b, 2},                                                              \
    }

static const struct msp430_comparator_a family_comparator_a = {
    .cactl1 = CACTL1,
    .cactl2 = CACTL2,
    .capd = CAPD,
    .line = COMPARATORA_LINE,
    .ca0 = MSP430_PIN(2, 3),
    .ca1 = MSP430_PIN(2, 4),
    .caout = MSP430_PIN(2, 2),
    .timer = &family_timer_a,
    .block = 1,
};

static const struct msp430_multiplier family_multiplier = {.mpy = MPY};

/* Of struct chip: all but the name. The time base is 2^30 ticks a second: fine enough for every setting of the DCO, and
 * a whole number of ticks a cycle of the 32768 Hz crystal. */
#define FAMILY_CHIP                                                                                                    \
    .isa = &isa_msp430, CHIP_REGIONS(regions), .ports = "123456", .default_hz = UINT64_C(1) << 30, .reset_hz = 750000, \
    CHIP_DEVICES(devices)

/* clang-format off */
#define FAMILY_CLOCK_DEVICES                       \
    {"clock", &msp430_basic_clock, &family_clock}, \
    {"nmi", &msp430_nmi, &family_nmi},             \
    {"watchdog", &msp430_watchdog, &family_watchdog}
#define FAMILY_TIMER_DEVICES                            \
    {"aclk", &msp430_clock_output, &family_aclk},       \
    {"smclk", &msp430_clock_output, &family_smclk},     \
    {"mclk", &msp430_clock_output, &family_mclk},       \
    {"timer_a", &msp430_timer, &family_timer_a},        \
    {"timer_b", &msp430_timer, &family_timer_b}
#define FAMILY_PORT_DEVICES                    \
    {"port1", &msp430_port, &family_ports[0]}, \
    {"port2", &msp430_port, &family_ports[1]}, \
    {"port3", &msp430_port, &family_ports[2]}, \
    {"port4", &msp430_port, &family_ports[3]}, \
    {"port5", &msp430_port, &family_ports[4]}, \
    {"port6", &msp430_port, &family_ports[5]}
/* clang-format on */

#endif
