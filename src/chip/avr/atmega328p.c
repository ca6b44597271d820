/* ATmega328P, from its datasheet; register and vector numbers from avr-libc. */
#include "registers/atmega328p.h"

#define MEGAX8_CORE        AVR_CORE_5
#define MEGAX8_BOOT        AVR_BOOT(FUSE_HIGH, 256)
#define MEGAX8_POWER       .sleep_modes = 0xcf, .bod_off = BIT(MCUCR, BODS), .bod_off_enable = BIT(MCUCR, BODSE)
#define MEGAX8_SELFPROGRAM .lock_bits = 0x3f, .signature_row = true
#define MEGAX8_TEMPERATURE 314000
#include "chip/avr/megax8.h"

const struct chip chip_atmega328p = {MEGAX8_CHIP, .name = "atmega328p", .fuses = {0xff, 0xd9, 0xff}};
