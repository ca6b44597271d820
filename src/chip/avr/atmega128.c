/* ATmega128, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/avr/eeprom.h"
#include "device/avr/power.h"
#include "device/avr/selfprogram.h"
#include "device/avr/simulation.h"
#include "device/avr/watchdog.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega128.h"

/* ---- power, clocks, watchdog ---- */

static const struct avr_plain plain[] = {
    {MCUCR, 0xc0, 0}, {RAMPZ, 0x01, 0}, {XMCRA, 0x7e, 0}, {XMCRB, 0x87, 0}, {OSCCAL, 0xff, 0x80},
};

static const struct avr_power power = {
    .sleep_enable = BIT(MCUCR, SE),
    .sleep_mode = BITS(MCUCR, SM0, 2),
    .sleep_mode_high = BIT(MCUCR, SM2),
    .sleep_modes = 0xcf,
    .divider = XDIV,
    .vectors_move = BIT(MCUCR, IVSEL),
    .vectors_enable = BIT(MCUCR, IVCE),
    .jtag_off = BIT(MCUCSR, JTD),
    .reset_flags = MCUCSR,
    .jtag = true,
    .adc = ADCSRA,
    .boot = {.byte = FUSE_HIGH, .words = 512},
    AVR_SOURCES(avr_sources_old),
    .watchdog_hz_3v = 1107000, /* 16K cycles in 14.8 ms */
    .watchdog_hz = 1170000,    /* 16K cycles in 14.0 ms */
    AVR_PLAIN(plain),
};

static const struct avr_watchdog watchdog = {
    .control = WDTCR,
    .longest = 7,
    .shortest = 16384,
    .always_on = {FUSE_EXTENDED, 0x01},
    .compatible = {FUSE_EXTENDED, 0x02},
};

/* ---- memories: EEPROM, self-programming ---- */

static const struct avr_eeprom eeprom = {
    .control = EECR,
    .data = EEDR,
    .address = EEARL,
    .size = E2END + 1,
    .write_us = {8500},
    .flash_busy = BIT(SPMCSR, 0),
    .vector = EE_READY_vect_num,
};

static const struct avr_selfprogram selfprogram = {
    .control = SPMCSR,
    .page = SPM_PAGESIZE,
    .time_us = 4500,
    .boot = {.byte = FUSE_HIGH, .words = 512},
    .signature = {SIGNATURE_0, SIGNATURE_1, SIGNATURE_2},
    .calibration = 0x80,
    .lock_bits = 0x3c,
    .eeprom_busy = BIT(EECR, 1),
    .vector = SPM_READY_vect_num,
};

/* ---- ports, external and pin-change interrupts ---- */

/* ---- timers ---- */

/* ---- serial: USART, SPI, TWI ---- */

/* ---- analog ---- */

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */
    {"power", &avr_power, &power},
    {"watchdog", &avr_watchdog, &watchdog},
    {"motet", &avr_simulation, NULL},

    /* memories */
    {"eeprom", &avr_eeprom, &eeprom},
    {"flash", &avr_selfprogram, &selfprogram},

    /* ports, external and pin-change interrupts */

    /* timers */

    /* serial */

    /* analog */

};

static const struct avr_core core = {
    .pc_bytes = 2, .vectors = 35, .stack_starts_at_zero = true, .bit_writes_whole_byte = true};

const struct chip chip_atmega128 = {
    .name = "atmega128",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x20000,
    .ram_start = 0x100,
    .ram_size = 0x1000,
    .ports = "ABCDEFG",
    .default_hz = 8000000,
    CHIP_DEVICES(devices),
    .fuses = {0xff, 0x99, 0xff},
    .lock = 0xff,
};
