/* Instructions that take their opcode apart when they run: DSP, saturation, special registers, floating point.
 */
#ifndef ISA_CORTEX_RARE_H
#define ISA_CORTEX_RARE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/cortex/cortex.h"
#include "node/node.h"

/* On registers and flags alone. Returns cycles, 0: there is no such instruction. */
unsigned cortex_rare(struct cortex_cpu *cpu, const struct cortex_core *core, uint32_t opcode);

/* MRS, MSR, CPS, CLREX. Returns cycles, 0: there is no such instruction. */
unsigned cortex_system(struct node *n, uint32_t opcode);

/* Floating point, loads and stores included. Returns cycles, 0: there is no such instruction, or the unit is off: then
 * the fault has been raised. */
unsigned cortex_float(struct node *n, uint32_t pc, uint32_t opcode);

#endif
