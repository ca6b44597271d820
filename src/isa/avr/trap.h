/* Traps on AVR (node/trap.h): which instructions lead to one, and what was compared before.
 *
 * Invariant: a mark changes nothing of what its instruction does. avr_cpu.check is set between a branch that goes to a
 * trap and the trap, where nothing but jumps and the call come.
 */
#ifndef ISA_AVR_TRAP_H
#define ISA_AVR_TRAP_H

#include "isa/avr/code.h"
#include "node/node.h"

/* Marks the traps of the machine whose code is still there, and the branches that lead to them; takes the marks away.
 */
void avr_traps_mark(const struct machine *m, struct avr_code *code);
void avr_traps_lift(struct avr_code *code);

/* Whether a marked branch or skip is going to the trap, with these flags and registers. */
bool avr_check_fails(const struct avr_code *code, const struct avr_insn *i, uint8_t sreg, const uint8_t *r);

/* The CPU stands at the entry of a trap. True if the node is to stop. */
bool avr_trap(struct node *n);

#endif
