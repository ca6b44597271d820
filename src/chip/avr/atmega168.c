/* ATmega168, from its datasheet; register and vector numbers from avr-libc. */
#include "registers/atmega168.h"

#define MEGAX8_CORE        AVR_CORE_5
#define MEGAX8_BOOT        AVR_BOOT(FUSE_EXTENDED, 128)
#define MEGAX8_POWER       .sleep_modes = 0x4f /* no extended standby */
#define MEGAX8_SELFPROGRAM .lock_bits = 0x3c
#define MEGAX8_TEMPERATURE 0
#include "chip/avr/megax8.h"

const struct chip chip_atmega168 = {MEGAX8_CHIP, .name = "atmega168", .fuses = {0xf9, 0xdf, 0xff}};
