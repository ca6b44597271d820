/* The instruction sets ARMv7-M and ARMv7E-M (ARM DDI 0403E): Cortex-M3 and Cortex-M4.
 *
 * Cycles follow Arm's tables for memory without wait states (ARM 100166, 3.3), with rules for what they leave open:
 * docs/cortex.md. They are the same in every run, and near those of a chip, but not exactly them. Invariant: outside
 * cortex_run the CPU is wholly in struct cortex_cpu in the arena.
 */
#ifndef ISA_CORTEX_CORTEX_H
#define ISA_CORTEX_CORTEX_H

#include "isa/isa.h"

enum { CORTEX_SP = 13, CORTEX_LR = 14, CORTEX_PC = 15 };

/* Bits of the program status register. */
#define CORTEX_N     0x80000000u
#define CORTEX_Z     0x40000000u
#define CORTEX_C     0x20000000u
#define CORTEX_V     0x10000000u
#define CORTEX_Q     0x08000000u
#define CORTEX_GE    0x000f0000u
#define CORTEX_T     0x01000000u
#define CORTEX_FLAGS (CORTEX_N | CORTEX_Z | CORTEX_C | CORTEX_V)

/* Exceptions, which are the interrupt lines too: a device's line 0 is exception 16. */
enum {
    CORTEX_RESET = 1,
    CORTEX_NMI,
    CORTEX_HARD_FAULT,
    CORTEX_MEM_MANAGE,
    CORTEX_BUS_FAULT,
    CORTEX_USAGE_FAULT,
    CORTEX_SVCALL = 11,
    CORTEX_DEBUG_MONITOR,
    CORTEX_PENDSV = 14,
    CORTEX_SYSTICK,
    CORTEX_EXTERNAL,
    CORTEX_EXCEPTIONS = 256,
};

/* Regions of the memory protection unit. */
enum { CORTEX_MPU_REGIONS = 8 };

/* CONTROL. */
enum { CORTEX_UNPRIVILEGED = 1, CORTEX_PROCESS_STACK = 2, CORTEX_FLOAT_ACTIVE = 4 };

/* Bits of registers of the system control block that the CPU itself looks at. */
enum {
    CORTEX_SLEEPONEXIT = 1u << 1, /* SCR */
    CORTEX_SEVONPEND = 1u << 4,
    CORTEX_UNALIGN_TRAP = 1u << 3, /* CCR */
    CORTEX_DIV_0_TRAP = 1u << 4,
    CORTEX_STACK_ALIGN = 1u << 9,
    CORTEX_LAZY_ACTIVE = 1u << 0, /* FPCCR */
};
#define CORTEX_LAZY      0x40000000u /* FPCCR.LSPEN */
#define CORTEX_AUTOMATIC 0x80000000u /* FPCCR.ASPEN */

/* Bits of the fault status registers. */
#define CORTEX_IACCVIOL   0x00000001u /* CFSR */
#define CORTEX_DACCVIOL   0x00000002u
#define CORTEX_MMARVALID  0x00000080u
#define CORTEX_IBUSERR    0x00000100u
#define CORTEX_PRECISERR  0x00000200u
#define CORTEX_BFARVALID  0x00008000u
#define CORTEX_UNDEFINSTR 0x00010000u
#define CORTEX_INVSTATE   0x00020000u
#define CORTEX_INVPC      0x00040000u
#define CORTEX_NOCP       0x00080000u
#define CORTEX_UNALIGNED  0x01000000u
#define CORTEX_DIVBYZERO  0x02000000u
#define CORTEX_FORCED     0x40000000u /* HFSR */

/* What a chip's table says of its core. */
struct cortex_core {
    unsigned external;      /* interrupt lines of devices */
    unsigned priority_bits; /* of 8 that are implemented, the highest */
    bool dsp, fpu;          /* Cortex-M4, and whether it has a floating-point unit */
    bool mpu;               /* it has a memory protection unit */
    bool bit_band;          /* bits of RAM and registers have words of their own (B3.1.1 of the M3's manual) */
    bool baseline;          /* ARMv6-M: Cortex-M0+, without most of Thumb-2 */
    uint32_t cpuid;
    uint32_t boot; /* address of the word that has the address of the vectors after reset; 0: they lie at 0 */
};

struct cortex_cpu {
    uint32_t r[16];    /* r[CORTEX_SP] is the stack pointer in use */
    uint32_t other_sp; /* the one that is not: of the process, or the main one */
    uint32_t psr;      /* N, Z, C, V, Q and GE, where xPSR has them */
    uint16_t exception;
    uint8_t it;      /* ITSTATE of the next instruction */
    uint8_t aborted; /* the instruction under way must not complete: it has caused an exception */
    uint8_t primask, faultmask, basepri, control;
    uint8_t event;           /* the event register of WFE */
    uint8_t tail;            /* the last thing was a return from an exception */
    uint8_t waits_for_event; /* it sleeps by WFE */
    uint8_t locked;          /* two faults at once: it does nothing any more */
    uint32_t exclusive;      /* address of an exclusive load, +1; 0: none */

    uint32_t s[32], fpscr, fpcar, fpccr, fpdscr, cpacr;
    uint32_t vtor, scr, ccr, shcsr, cfsr, hfsr, mmfar, bfar;
    uint32_t mpu_ctrl, mpu_rnr, mpu_rbar[CORTEX_MPU_REGIONS], mpu_rasr[CORTEX_MPU_REGIONS]; /* isa/cortex/mpu.h */
    uint8_t group;                                                                          /* AIRCR.PRIGROUP */
    uint8_t unused[7];
    uint32_t check; /* address, +1, of the branch that has just gone to UDF #255; 0: none */
    uint64_t enabled[CORTEX_EXCEPTIONS / 64], pending[CORTEX_EXCEPTIONS / 64], active[CORTEX_EXCEPTIONS / 64],
        level[CORTEX_EXCEPTIONS / 64];
};

extern const struct isa isa_cortex;
extern const struct isa_cores cortex_cores; /* cores.c */

static inline const struct cortex_core *cortex_core_of(const void *core)
{
    return core;
}

#endif
