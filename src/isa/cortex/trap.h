/* Traps on Cortex-M (node/trap.h): functions that firmware calls to give up. */
#ifndef ISA_CORTEX_TRAP_H
#define ISA_CORTEX_TRAP_H

#include "isa/cortex/code.h"
#include "node/node.h"

/* Marks the first instruction of each function of the machine that is called to give up. */
void cortex_traps_mark(const struct machine *m, struct cortex_code *code);

/* The CPU stands at the entry of a trap. True if the node is to stop. */
bool cortex_trap(struct node *n);

#endif
