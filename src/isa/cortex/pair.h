/* Pairs: instructions that often follow each other, such as a comparison and its branch, are executed with one jump.
 *
 * The operation of the first says it (code.h). Invariant: a pair does nothing that its two instructions do not do one
 * after the other: the first is counted, and the slice may end after it, before the second begins as at its own entry.
 * The second has no mark, is no trap and begins no translated code; nor is the first, when the pair is made. So
 * whoever sets such a bit on an instruction parts what may end in it. Entries of blocks are in no pair.
 */
#ifndef ISA_CORTEX_PAIR_H
#define ISA_CORTEX_PAIR_H

#include "isa/cortex/code.h"

/* The operation, without bits that are added, of an instruction that may be the first of a pair. */
unsigned cortex_pair_operation(const struct cortex_insn *i);

/* Makes pairs of instructions in program memory, the first of which are there. */
void cortex_pair_join(struct cortex_code *code, uint32_t first, uint32_t last);

/* The instruction at the address is no second of a pair from now on. */
void cortex_pair_part(struct cortex_code *code, uint32_t at);

#endif
