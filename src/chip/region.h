/* Regions: a chip's memory map as a table.
 *
 * Addresses are those of the chip's firmware files, where each byte has one address: an instruction set with several
 * spaces puts them side by side (struct isa_spaces). A data address, as instructions use it, counts from the beginning
 * of the data space. Invariants, which machine_new() checks: regions are sorted by address and do not overlap; an
 * alias lies in no other alias; registers come before RAM in what backs them; where marks are found without a search
 * (isa->flat), regions are made of whole pages of 16 bytes.
 */
#ifndef CHIP_REGION_H
#define CHIP_REGION_H

#include <stdint.h>

enum region_kind {
    REGION_CORE,      /* registers of the CPU that have data addresses, too */
    REGION_REGISTERS, /* of devices */
    REGION_RAM,
    REGION_FLASH,       /* program memory */
    REGION_INFORMATION, /* flash beside the program, for data that outlives it */
    REGION_ROM,         /* of the maker: not written, and nothing is known of what it holds */
    REGION_EEPROM,
    REGION_ALIAS, /* shows a part of another region again */
};

struct region {
    uint32_t first, size;
    enum region_kind kind;
    uint8_t width;    /* bits that one access carries at most: 8, 16 or 32 */
    uint32_t backing; /* where its bytes are kept: of an alias, the address it shows again; of RAM and registers, the
                       * place in the node's data memory; of flash, in its program memory; of EEPROM, in its pages */
};

#endif
