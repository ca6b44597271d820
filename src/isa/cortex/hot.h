/* What the Cortex-M loop and translated code hand to each other (isa/heat.h).
 *
 * Invariant: struct cortex_live is all that an operation of translated code changes besides r0-r15, data memory and the
 * exclusive monitor, and it begins with what is left of the slice. Everything is as the loop keeps it
 * (execute_shared.h).
 */
#ifndef ISA_CORTEX_HOT_H
#define ISA_CORTEX_HOT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/heat.h"

struct cortex_live {
    int64_t left; /* isa/slice.h */
    int64_t fr;
    uint32_t fc, fv, flash_plain;
    uint8_t *ram;
};

/* What is the same for all nodes of a machine, hence a constant to the translator. */
struct cortex_fixed {
    const uint8_t *memory; /* flash, by address */
    uint32_t size, ram_first, ram_span, stack_limit;
    uint32_t marks; /* of RAM: the first in node->page */
};

enum { CORTEX_LONGEST = 5 }; /* cycles of an operation that is translated, except lists and divisions */

/* isa->hot and isa->mark_hot. */
struct machine;
void cortex_hot(const struct machine *m, struct heat_code *code);
void cortex_mark_hot(const struct machine *m, uint32_t at, bool on);

#endif
