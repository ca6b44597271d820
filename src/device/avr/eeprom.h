/* EEPROM: EEAR, EEDR, EECR, and the bytes they access.
 *
 * Datasheet section "EEPROM Data Memory". A write takes its typical time by the chip's own RC oscillator, so it counts
 * in seconds and goes on in every sleep mode. Invariant: while EEPE is set exactly one write is pending, and the memory
 * changes at its end. A reset of the chip lets it finish (the oscillator does not care); power lost before the end
 * loses it and leaves the old byte, where a real chip may leave any value.
 *
 * The contents come from the image's EEPROM segment (.eeprom), other bytes are erased (0xff).
 */
#ifndef DEVICE_AVR_EEPROM_H
#define DEVICE_AVR_EEPROM_H

#include "device/bits.h"

struct avr_eeprom {
    uint16_t control, data, address; /* EECR (its bits lie alike on all chips), EEDR, EEARL; EEARH follows EEARL */
    struct bits mode;                /* EEPM */
    uint16_t write_us[3];            /* by mode: erase and write, erase only, write only */
    struct bits flash_busy;          /* SPMEN */
    uint8_t vector;
};

extern const struct device_type avr_eeprom;

#endif
