/* ATmega168, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "chip/avr/timers.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega168.h"

/* ---- power, clocks, watchdog ---- */

/* ---- memories: EEPROM, self-programming ---- */

/* ---- ports, external and pin-change interrupts ---- */

/* ---- timers ---- */

static const struct timer_config timer0 = {
    TIMER_8(0, PIN(D, 6), PIN(D, 5)),
    TIMER_SYNCHRONOUS(PIN(D, 4)),
    .power_reduction = BIT(PRR, PRTIM0),
};
static const struct timer_config timer1 = {
    TIMER_16(1, PIN(B, 0)),       TIMER_16_AB(1, PIN(B, 1), PIN(B, 2)),  TIMER_16_CAPTURE(1),
    TIMER_SYNCHRONOUS(PIN(D, 5)), .capture_comparator = BIT(ACSR, ACIC), .power_reduction = BIT(PRR, PRTIM1),
};
static const struct timer_config timer2 = {
    TIMER_8(2, PIN(B, 3), PIN(D, 3)),
    TIMER_2_ASYNCHRONOUS(PIN(B, 6)),
    .power_reduction = BIT(PRR, PRTIM2),
};

/* ---- serial: USART, SPI, TWI ---- */

/* ---- analog ---- */

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */

    /* memories */

    /* ports, external and pin-change interrupts */

    /* timers */
    {"timer0", &avr_timer, &timer0},
    {"timer1", &avr_timer, &timer1},
    {"timer2", &avr_timer, &timer2},

    /* serial */

    /* analog */

};

static const struct avr_core core = {.pc_bytes = 2, .vectors = 26, .bit_writes_whole_byte = false};

const struct chip chip_atmega168 = {
    .name = "atmega168",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x4000,
    .ram_start = 0x100,
    .ram_size = 0x400,
    .ports = "ABCD",
    .default_hz = 16000000,
    CHIP_DEVICES(devices),
    .fuses = {0xf9, 0xdf, 0x62},
    .lock = 0xff,
};
