/* Traps on MSP430 (node/trap.h): which instructions lead to one, and what was compared before.
 *
 * Invariant: a mark changes nothing of what its instruction does. msp430_cpu.check is set between a jump that goes to a
 * trap and the trap, where nothing but jumps and the call come.
 */
#ifndef ISA_MSP430_TRAP_H
#define ISA_MSP430_TRAP_H

#include "isa/msp430/code.h"
#include "node/node.h"

/* Marks the traps of the machine whose code is still there, and the jumps that lead to them; takes the marks away. */
void msp430_traps_mark(const struct machine *m, struct msp430_code *code);
void msp430_traps_lift(struct msp430_code *code);

/* Whether a marked jump is going to the trap, with these flags in the status register. */
bool msp430_check_fails(const struct msp430_code *code, const struct msp430_insn *i, unsigned sr);

/* The CPU stands at the entry of a trap. True if the node is to stop. */
bool msp430_trap(struct node *n);

#endif
