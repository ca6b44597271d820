/* Fuses: what was decided when the chip was programmed, and the boot section that follows from it.
 *
 * A fuse bit of 0 is programmed. Bytes are in the machine's order: extended, high, low.
 */
#ifndef DEVICE_AVR_FUSES_H
#define DEVICE_AVR_FUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/chip.h"
#include "node/machine.h"
#include "node/node.h"

enum { FUSE_EXTENDED, FUSE_HIGH, FUSE_LOW };

/* A mask of 0 is a fuse this chip does not have: never programmed. */
struct avr_fuse {
    uint8_t byte, mask;
};

static inline bool fuse_programmed(const struct node *n, struct avr_fuse f)
{
    return f.mask && !(n->machine->fuses[f.byte] & f.mask);
}

/* BOOTSZ1:0 and BOOTRST are bits 2..0 of one byte on every chip here; which byte differs. */
struct avr_boot {
    uint8_t byte;
    uint16_t words; /* of the smallest boot section, BOOTSZ = 11; 0: SPM works everywhere and halts the CPU (ATtiny) */
};

/* clang-format off */
#define AVR_BOOT(byte_, words_) {.byte = (byte_), .words = (words_)}
/* clang-format on */

/* First byte of the boot section. */
static inline uint32_t boot_start(const struct node *n, struct avr_boot b)
{
    unsigned size = (n->machine->fuses[b.byte] >> 1) & 3;
    if (!b.words)
        return 0;
    return n->machine->code_size - 2u * ((uint32_t)b.words << (3 - size));
}

/* First byte of the section that cannot be read while it is written: the largest boot section ("NRWW"). */
static inline uint32_t boot_largest(const struct node *n, struct avr_boot b)
{
    return b.words ? n->machine->code_size - 2u * ((uint32_t)b.words << 3) : 0;
}

static inline bool boot_reset(const struct node *n, struct avr_boot b)
{
    return b.words && fuse_programmed(n, (struct avr_fuse){b.byte, 1});
}

#endif
