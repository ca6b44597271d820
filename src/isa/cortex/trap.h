/* Traps on Cortex-M (node/trap.h): functions that firmware calls to give up, and UDF #255, to which compilers let
 * checks branch. */
#ifndef ISA_CORTEX_TRAP_H
#define ISA_CORTEX_TRAP_H

#include "isa/cortex/code.h"
#include "node/node.h"

/* Marks the first instruction of each function of the machine that is called to give up, and the branches to UDF #255,
 * if they lie in [first, last). */
void cortex_traps_mark(const struct machine *m, struct cortex_code *code, uint32_t first, uint32_t last);

/* The CPU stands at such a mark. True if the node is to stop. */
bool cortex_trap(struct node *n);

/* UDF #255, which is what gcc and clang put where a check fails: the same, with what the branch before it compared. */
enum { CORTEX_UDF_CHECK = 0xdeff };
bool cortex_trap_check(struct node *n);

#endif
