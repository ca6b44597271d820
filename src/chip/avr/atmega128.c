/* ATmega128, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega128.h"

/* ---- power, clocks, watchdog ---- */

/* ---- memories: EEPROM, self-programming ---- */

/* ---- ports, external and pin-change interrupts ---- */

/* ---- timers ---- */

/* ---- serial: USART, SPI, TWI ---- */

/* ---- analog ---- */

static const struct chip_device devices[] = {
    /* power, clocks, watchdog */

    /* memories */

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
    .fuses = {0xff, 0x99, 0xe1},
    .lock = 0xff,
};
