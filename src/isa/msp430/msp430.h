/* The MSP430 instruction set (MSP430x1xx Family User's Guide, SLAU049), cycle-exact.
 *
 * Invariant: outside msp430_run the CPU is wholly in struct msp430_cpu in the arena.
 */
#ifndef ISA_MSP430_MSP430_H
#define ISA_MSP430_MSP430_H

#include "isa/isa.h"

enum { MSP430_PC, MSP430_SP, MSP430_SR, MSP430_CG };

/* Bits of the status register. */
enum {
    MSP430_C = 0x001,
    MSP430_Z = 0x002,
    MSP430_N = 0x004,
    MSP430_GIE = 0x008,
    MSP430_CPUOFF = 0x010,
    MSP430_OSCOFF = 0x020,
    MSP430_SCG0 = 0x040,
    MSP430_SCG1 = 0x080,
    MSP430_V = 0x100,
    MSP430_LOW_POWER = MSP430_CPUOFF | MSP430_OSCOFF | MSP430_SCG0 | MSP430_SCG1,
};

struct msp430_cpu {
    uint16_t r[16];
    uint16_t stack_elsewhere; /* SP was moved among the variables: a stack of its own, whose end is not known */
    uint16_t check;           /* address of the jump whose trap the CPU is on its way to, else 0 */
    uint16_t unused[2];
    uint64_t quiet_until; /* no interrupt is taken before this many instructions are done (GIE just set) */
};

/* Interrupt lines are vector numbers: line 15 is the reset vector at 0xfffe, line 0 the vector at 0xffe0; higher is
 * more urgent. Line 14 (NMI) does not ask for GIE. */
enum { MSP430_LINE_RESET = 15, MSP430_LINE_NMI = 14 };

extern const struct isa isa_msp430;

#endif
