/* Any MSP430 instruction, taken apart while it runs: the rare forms, code in RAM, and the reference for the fast ones.
 *
 * Invariant: on entry and exit the CPU is in struct msp430_cpu, flags included; PC has moved past the instruction.
 */
#ifndef ISA_MSP430_GENERIC_H
#define ISA_MSP430_GENERIC_H

#include "node/node.h"

/* Executes the instruction at PC; returns its cycles. An illegal opcode is a fault and takes one cycle. `reti` tells
 * whether it was RETI. */
unsigned msp430_generic(struct node *n, bool *reti);

#endif
