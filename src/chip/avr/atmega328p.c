/* ATmega328p, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega328p.h"

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
    .fuses = {0xff, 0xd9, 0x62},
    .lock = 0xff,
};
