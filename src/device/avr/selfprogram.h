/* Self-programming: SPMCSR, the page buffer, and program memory as something that changes.
 *
 * Datasheet section "Boot Loader Support - Read-While-Write Self-Programming". Works only for an SPM in the boot
 * section that comes within four cycles of the write to SPMCSR. Invariants: program memory changes at the end of an
 * erase or a write, through isa->reprogrammed; while one is under way SPMEN is set. node->code_reads_differ is set
 * exactly while some read of program memory would not give the byte that is there (RWW section busy, fuses or signature
 * asked for, boot lock bits in the way).
 *
 * A reset during an erase or write lets it finish at once. That boot lock bits can turn off interrupts while code runs
 * in the other section is not modelled.
 */
#ifndef DEVICE_AVR_SELFPROGRAM_H
#define DEVICE_AVR_SELFPROGRAM_H

#include "device/avr/fuses.h"
#include "device/bits.h"

#define SELFPROGRAM_PAGE 256u /* bytes in the largest page */

struct avr_selfprogram {
    uint16_t control; /* SPMCSR; its bits lie alike on all chips */
    uint16_t page;    /* bytes */
    uint16_t time_us; /* of an erase, a write, setting lock bits */
    struct avr_boot boot;
    struct avr_fuse enable; /* SELFPRGEN: SPM does nothing unless it is programmed; mask 0: it always works */
    bool signature_row;     /* SIGRD */
    uint8_t signature[3], calibration;
    uint8_t lock_bits;       /* those SPM can program; 0: none, BLBSET only reads them */
    struct bits eeprom_busy; /* EEPE */
    uint8_t vector;          /* SPM_READY; 0: there is no such interrupt */
};

extern const struct device_type avr_selfprogram;

#endif
