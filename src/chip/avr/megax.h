/* What megax0.h and megax8.h have in common: the newer watchdog, with an interrupt, and EEPROM with split writes.
 * Included by these two alone.
 */
#ifndef CHIP_AVR_MEGAX_H
#define CHIP_AVR_MEGAX_H

static const struct avr_watchdog watchdog = {
    .control = WDTCSR,
    .vector = WDT_vect_num,
    .longest = 9,
    .shortest = 2048,
    .reset_flag = BIT(MCUSR, WDRF),
    .always_on = {FUSE_HIGH, 0x10},
};

static const struct avr_eeprom eeprom = {
    .control = EECR,
    .data = EEDR,
    .address = EEARL,
    .size = E2END + 1,
    .mode = BITS(EECR, EEPM0, 2),
    .write_us = {3400, 1800, 1800},
    .flash_busy = BIT(SPMCSR, 0),
    .vector = EE_READY_vect_num,
};

#endif
