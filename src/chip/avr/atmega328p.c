/* ATmega328p, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "chip/avr/timers.h"
#include "device/avr/adc.h"
#include "device/avr/comparator.h"
#include "device/avr/eeprom.h"
#include "device/avr/extint.h"
#include "device/avr/port.h"
#include "device/avr/power.h"
#include "device/avr/selfprogram.h"
#include "device/simulation.h"
#include "device/avr/spi.h"
#include "device/avr/twi.h"
#include "device/avr/usart.h"
#include "device/avr/watchdog.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega328p.h"

/* ---- power, clocks, watchdog ---- */

static const struct avr_plain plain[] = {
    {GPIOR0, 0xff, 0}, {GPIOR1, 0xff, 0}, {GPIOR2, 0xff, 0}, {OSCCAL, 0xff, 0x80}, {PRR, 0xef, 0},
};

static const struct avr_power power = {
    .sleep_enable = BIT(SMCR, SE),
    .sleep_mode = BITS(SMCR, SM0, 3),
    .sleep_modes = 0xcf,
    .prescaler = CLKPR,
    .divide_by_8 = {FUSE_LOW, 0x80},
    .vectors_move = BIT(MCUCR, IVSEL),
    .vectors_enable = BIT(MCUCR, IVCE),
    .bod_off = BIT(MCUCR, BODS),
    .bod_off_enable = BIT(MCUCR, BODSE),
    .reset_flags = MCUSR,
    .adc = ADCSRA,
    .shallow_lines = AVR_LINE(EE_READY_vect_num) | AVR_LINE(SPM_READY_vect_num),
    .boot = {.byte = FUSE_HIGH, .words = 256},
    AVR_SOURCES(avr_sources),
    .reset_ck = 14,
    .watchdog_hz_3v = 128000,
    .watchdog_hz = 128000,
    AVR_PLAIN(plain),
};

/* ---- self-programming ---- */

static const struct avr_selfprogram selfprogram = {
    .control = SPMCSR,
    .page = SPM_PAGESIZE,
    .time_us = 4500,
    .boot = {.byte = FUSE_HIGH, .words = 256},
    .signature_row = true,
    .signature = {SIGNATURE_0, SIGNATURE_1, SIGNATURE_2},
    .calibration = 0x80,
    .lock_bits = 0x3f,
    .eeprom_busy = BIT(EECR, 1),
    .vector = SPM_READY_vect_num,
};

#define MEGAX8_TEMPERATURE 314000
#include "chip/avr/megax8.h"

static const struct avr_core core = {.pc_bytes = 2, .vectors = 26, .bit_writes_whole_byte = false};

const struct chip chip_atmega328p = {
    .name = "atmega328p",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x8000,
    .ram_start = 0x100,
    .ram_size = 0x800,
    .ports = "ABCD",
    .default_hz = 16000000,
    CHIP_DEVICES(devices),
    .has_fuses = true,
    .fuses = {0xff, 0xd9, 0xff},
    .lock = 0xff,
};
