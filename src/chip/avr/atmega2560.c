/* ATmega2560, from its datasheet; register and vector numbers from avr-libc. */
#include "chip/avr/chips.h"
#include "device/bits.h"
#include "isa/avr/avr.h"
#include "node/pins.h"
#include "registers/atmega2560.h"

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

static const struct avr_core core = {.pc_bytes = 3, .vectors = 57, .bit_writes_whole_byte = false};

const struct chip chip_atmega2560 = {
    .name = "atmega2560",
    .isa = &isa_avr,
    .core = &core,
    .flash_size = 0x40000,
    .ram_start = 0x200,
    .ram_size = 0x2000,
    .ports = "ABCDEFGHJKL",
    .default_hz = 16000000,
    CHIP_DEVICES(devices),
    .fuses = {0xff, 0x99, 0x62},
    .lock = 0xff,
};
