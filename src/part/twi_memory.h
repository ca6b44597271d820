/* A serial EEPROM on a two-wire bus (24C01 to 24C512).
 *
 * Written bytes gather in a buffer of one page, wrapping at its end, and are programmed after the STOP; while that
 * takes, the memory does not acknowledge its address. Reads continue from the last address and wrap at the end of the
 * memory. Memories of up to 2 KB have one address byte and take the rest of the address from the device address.
 * Invariant: what has not been followed by a STOP never reaches the memory.
 */
#ifndef PART_TWI_MEMORY_H
#define PART_TWI_MEMORY_H

#include "node/device.h"

#define TWI_MEMORY_PAGE 128u /* the largest page */

struct twi_memory_config {
    uint32_t size;      /* bytes, a power of two */
    uint16_t page_size; /* bytes, a power of two up to TWI_MEMORY_PAGE */
    uint8_t address;    /* seven bits, 0x50 to 0x57 */
    uint8_t bus;
    uint8_t write_protect; /* pin that forbids writing while high, or PIN_NONE */
    double write_seconds;
};

extern const struct device_type twi_memory_type;

#endif
