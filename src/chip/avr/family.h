/* What the tables of all AVR chips are written with: the devices, and macros over the names of registers.
 *
 * A chip's table includes the registers of exactly one chip (registers/CHIP.h, made from avr-libc) before this. The
 * macros expand names such as PINB or INT0_vect_num with the numbers of that chip.
 */
#ifndef CHIP_AVR_FAMILY_H
#define CHIP_AVR_FAMILY_H

#include "chip/avr/regions.h"
#include "chip/avr/timers.h"
#include "chip/chips.h"
#include "device/avr/adc.h"
#include "device/avr/comparator.h"
#include "device/avr/eeprom.h"
#include "device/avr/extint.h"
#include "device/avr/pll.h"
#include "device/avr/port.h"
#include "device/avr/power.h"
#include "device/avr/selfprogram.h"
#include "device/avr/spi.h"
#include "device/avr/twi.h"
#include "device/avr/usart.h"
#include "device/avr/usb.h"
#include "device/avr/usi.h"
#include "device/avr/watchdog.h"
#include "device/bits.h"
#include "device/simulation.h"
#include "isa/avr/avr.h"
#include "node/pins.h"

/* A chip's memory map. */
#define AVR_MEMORIES AVR_REGIONS(FLASHEND + 1u, RAMSTART, RAMEND + 1 - RAMSTART, E2END + 1)

/* A port: port_B, ... On chips whose bit PUD is elsewhere than in MCUCR, AVR_PULL_UP_DISABLE says where. */
#ifndef AVR_PULL_UP_DISABLE
#define AVR_PULL_UP_DISABLE BIT(MCUCR, PUD)
#endif
#define PORT(letter, pins, ...)                                                           \
    static const struct avr_port port_##letter = {.number = PORT_##letter,                \
                                                  .mask = (pins),                         \
                                                  .pin = PIN##letter,                     \
                                                  .ddr = DDR##letter,                     \
                                                  .port = PORT##letter,                   \
                                                  .pull_up_disable = AVR_PULL_UP_DISABLE, \
                                                  __VA_ARGS__}

/* One line of struct avr_extint. */
#define LINE(i, pin_, control, ...)                                                                           \
    {                                                                                                         \
        .pin = (pin_), .sense = BITS(control, ISC##i##0, 2),                                                  \
        .interrupt = {.vector = INT##i##_vect_num, .enable = BIT(EIMSK, INT##i), .flag = BIT(EIFR, INTF##i)}, \
        __VA_ARGS__                                                                                           \
    }

/* The registers of a group of pin-change interrupts. */
#define GROUP(i)      \
    .mask = PCMSK##i, \
    .interrupt = {.vector = PCINT##i##_vect_num, .enable = BIT(PCICR, PCIE##i), .flag = BIT(PCIFR, PCIF##i)}

/* Of struct avr_watchdog and struct avr_eeprom: the newer watchdog, with an interrupt, and EEPROM with split writes. */
#define AVR_WATCHDOG(control_)                                                                                     \
    .control = (control_), .vector = WDT_vect_num, .longest = 9, .shortest = 2048, .reset_flag = BIT(MCUSR, WDRF), \
    .always_on = {FUSE_HIGH, 0x10}
#define AVR_EEPROM(vector_)                                                                                        \
    .control = EECR, .data = EEDR, .address = EEARL, .mode = BITS(EECR, EEPM0, 2), .write_us = {3400, 1800, 1800}, \
    .flash_busy = BIT(SPMCSR, 0), .vector = (vector_)

/* Of struct avr_selfprogram: all but boot section, interrupt and rows. */
#define AVR_SELFPROGRAM                                                                                             \
    .control = SPMCSR, .page = SPM_PAGESIZE, .time_us = 4500, .signature = {SIGNATURE_0, SIGNATURE_1, SIGNATURE_2}, \
    .calibration = 0x80, .eeprom_busy = BIT(EECR, 1)

/* Of struct avr_adc and struct avr_comparator: their own registers. `control` has the bit ACME. */
#define AVR_ADC_REGISTERS                                         \
    .admux = ADMUX, .adcsra = ADCSRA, .adcl = ADCL, .adch = ADCH, \
    .interrupt = {.vector = ADC_vect_num, .enable = BIT(ADCSRA, ADIE), .flag = BIT(ADCSRA, ADIF)}
#define AVR_COMPARATOR_REGISTERS(vector_, control)                                                       \
    .acsr = ACSR, .interrupt = {.vector = (vector_), .enable = BIT(ACSR, ACIE), .flag = BIT(ACSR, ACI)}, \
    .multiplex = BIT(control, ACME), .adc_enable = BIT(ADCSRA, ADEN)

/* Of struct chip: what no table changes. */
#define AVR_CHIP .isa = &isa_avr, .core = &core, AVR_MEMORIES, CHIP_DEVICES(devices), .has_fuses = true, .lock = 0xff

/* All eight pins of a port. */
#define PORT_PINS(letter)                                                                                           \
    PIN(letter, 0), PIN(letter, 1), PIN(letter, 2), PIN(letter, 3), PIN(letter, 4), PIN(letter, 5), PIN(letter, 6), \
        PIN(letter, 7)
#define NO_PINS_8 PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE, PIN_NONE

#endif
