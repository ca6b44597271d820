/* Loops that only wait (isa/wait.h), on MSP430. */
#ifndef ISA_MSP430_WAIT_H
#define ISA_MSP430_WAIT_H

#include "isa/msp430/code.h"
#include "isa/wait.h"

/* Marks the jumps that may close such a loop (MSP430_WAIT). */
void msp430_waits_mark(struct msp430_code *code);

/* The jump at `pc` is about to be executed, and the CPU is in the arena: passes over the rounds that follow it. Returns
 * the new `left`. */
int64_t msp430_wait_pass(struct node *n, const struct slice *slice, int64_t left, uint32_t pc, struct wait_spin *spin);

#endif
