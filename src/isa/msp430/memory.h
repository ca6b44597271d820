/* MSP430 memory, the slow way: everything that is not plain RAM.
 *
 * Peripherals, flash, the mirror of RAM, addresses without memory. Invariant: node->time is the tick of the access.
 * Word addresses are even here; the caller has dealt with odd ones.
 */
#ifndef ISA_MSP430_MEMORY_H
#define ISA_MSP430_MEMORY_H

#include <stdint.h>

#include "node/node.h"

/* Reads and writes as the CPU's instruction at `pc` does them. `size` is 1 or 2. */
uint16_t msp430_load(struct node *n, uint16_t pc, uint16_t address, unsigned size);
void msp430_store(struct node *n, uint16_t pc, uint16_t address, uint16_t value, unsigned size);

/* As isa->write. */
void msp430_write(struct node *n, uint32_t address, uint32_t value, unsigned size);

/* A word of the instruction itself. */
uint16_t msp430_fetch(struct node *n, uint16_t pc, uint16_t address);

/* A push below the stack's limit. */
void msp430_push_slow(struct node *n, uint16_t pc, uint16_t address, uint16_t value);

/* SP is about to move down to make room: will it still lie above the variables? */
void msp430_check_frame(struct node *n, uint16_t pc, uint16_t sp);

uint32_t msp430_stack_low(const struct node *n);

#endif
