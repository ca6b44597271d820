/* What the AVR loop and translated code hand to each other (isa/heat.h).
 *
 * Invariant: struct avr_live is all that an operation of translated code changes besides r0-r31 and data memory, and it
 * begins with what is left of the slice. Everything is as the loop keeps it (execute_shared.h).
 */
#ifndef ISA_AVR_HOT_H
#define ISA_AVR_HOT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/heat.h"

struct avr_cpu;

struct avr_live {
    int64_t left; /* isa/slice.h */
    uint64_t start_count;
    uint8_t *data;
    struct avr_cpu *cpu;
    uint32_t sp, stack_low, stack_span;
    uint32_t it, fc, fz, fn, fv, fh;
};

/* What is the same for all nodes of a machine, hence a constant to the translator. */
struct avr_fixed {
    const uint8_t *flash;
    uint32_t words;
    bool wide; /* return addresses have three bytes */
};

enum { AVR_LONGEST = 5 }; /* cycles of an instruction */

/* isa->hot and isa->mark_hot. */
struct machine;
void avr_hot(const struct machine *m, struct heat_code *code);
void avr_mark_hot(const struct machine *m, uint32_t at, bool on);

#endif
