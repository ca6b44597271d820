/* What the MSP430 loop and translated code hand to each other (isa/heat.h).
 *
 * Invariant: struct msp430_live is all that an operation of translated code changes besides R0-R15 and data memory, and
 * it begins with what is left of the slice. Everything is as the loop keeps it (execute_shared.h).
 */
#ifndef ISA_MSP430_HOT_H
#define ISA_MSP430_HOT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/heat.h"

struct msp430_live {
    int64_t left; /* isa/slice.h */
    uint8_t *data;
    uint32_t stack_low, stack_span;
    uint32_t fc, fr, fv;
};

/* What is the same for all nodes of a machine, hence a constant to the translator. */
struct msp430_fixed {
    const uint8_t *memory; /* flash, by address */
};

enum { MSP430_LONGEST = 6 }; /* cycles of an operation that is translated */

/* isa->hot and isa->mark_hot. */
struct machine;
void msp430_hot(const struct machine *m, struct heat_code *code);
void msp430_mark_hot(const struct machine *m, uint32_t at, bool on);

#endif
