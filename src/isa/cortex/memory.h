/* Memory as the instructions of a Cortex-M reach it, except plain RAM and flash, which the loop does itself.
 */
#ifndef ISA_CORTEX_MEMORY_H
#define ISA_CORTEX_MEMORY_H

#include "node/node.h"

/* One access of 1, 2 or 4 bytes by the instruction at `pc`. An address that the size does not divide is allowed
 * (`whole`: not by this instruction). If it fails, the CPU's `aborted` is set and nothing is loaded or stored. */
uint32_t cortex_load(struct node *n, uint32_t pc, uint32_t address, unsigned size, bool whole);
void cortex_store(struct node *n, uint32_t pc, uint32_t address, uint32_t value, unsigned size, bool whole);

/* The same without the memory protection unit: for the entry of exceptions, and for DMA. */
uint32_t cortex_load_any(struct node *n, uint32_t pc, uint32_t address, unsigned size, bool whole);
void cortex_store_any(struct node *n, uint32_t pc, uint32_t address, uint32_t value, unsigned size, bool whole);

/* Two bytes of code; false if nothing is there. */
bool cortex_fetch(const struct node *n, uint32_t address, uint16_t *halfword);

/* As isa->write. */
void cortex_write(struct node *n, uint32_t address, uint32_t value, unsigned size);

/* SP is about to go down past the main stack's limit: a fault, unless it is the process stack's. */
void cortex_stack_overflows(struct node *n, uint32_t pc, uint32_t sp);

#endif
