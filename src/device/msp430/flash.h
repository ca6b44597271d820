/* Flash memory controller (SLAU049, chapter 5): FCTL1 to FCTL3 and program memory as something that changes.
 *
 * Erases and writes take the cycles of the flash timing generator that the datasheet gives, and what they do is there
 * at their end, through isa->reprogrammed. Begun by code in flash they hold the CPU until then; begun by code in RAM
 * they go on beside it, with BUSY set. Invariants: node->code_reads_differ is set exactly while BUSY is (reads give
 * 0x3fff); bits are only cleared by writes and only set by erases; FCTL registers written without the key 0xa5 make a
 * PUC.
 *
 * Not modelled: code fetched from flash while an operation begun in RAM goes on (the chip would execute JMP $ until its
 * end), and the damage of a wrong clock or of an emergency exit.
 */
#ifndef DEVICE_MSP430_FLASH_H
#define DEVICE_MSP430_FLASH_H

#include "node/node.h"

struct msp430_flash {
    uint16_t control[3];               /* FCTL1, FCTL2, FCTL3 */
    uint16_t segment, info_segment;    /* bytes */
    uint16_t word, first, next, after; /* cycles: a byte or word; the first and others of a block, and its end */
    uint16_t erase, mass_erase;        /* of a segment; of all main memory */
};

extern const struct device_type msp430_flash;

#endif
