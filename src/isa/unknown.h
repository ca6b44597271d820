/* Unknown bits: what a replay has in a register or in memory, and cannot have from the log.
 *
 * A value of a device that was not recorded is such, and memory that nothing has written. An instruction set carries
 * unknown bits through an instruction: a copy stays unknown, a mask takes bits away. Invariant: a bit that is not
 * marked has the value it had on the node, as long as no instruction has used one that is.
 */
#ifndef ISA_UNKNOWN_H
#define ISA_UNKNOWN_H

#include <stdint.h>

enum { UNKNOWN_REGISTERS = 32 };

struct unknown {
    uint16_t registers[UNKNOWN_REGISTERS]; /* bits of each register of the CPU */
    uint16_t flags;                        /* bits of the status register */
};

/* The memory, by data address: a byte at a time. */
struct unknown_memory {
    void *context;
    unsigned (*load)(void *context, uint32_t address); /* bits that are unknown there */
    void (*store)(void *context, uint32_t address, unsigned bits);
};

/* What an instruction does that depends on unknown bits, and so cannot be executed again. */
enum unknown_use {
    UNKNOWN_UNUSED,
    UNKNOWN_BRANCH,  /* where execution goes on */
    UNKNOWN_ADDRESS, /* which memory it reaches */
    UNKNOWN_STACK,   /* the stack pointer */
};

/* A sum or difference: a carry goes up from the lowest unknown bit. */
static inline unsigned unknown_upward(unsigned bits)
{
    return bits | (0u - bits);
}

/* a & b: where one is known to be zero, so is the result. */
static inline unsigned unknown_and(unsigned a, unsigned a_unknown, unsigned b, unsigned b_unknown)
{
    return (a_unknown | b_unknown) & ~(~a & ~a_unknown) & ~(~b & ~b_unknown);
}

static inline unsigned unknown_or(unsigned a, unsigned a_unknown, unsigned b, unsigned b_unknown)
{
    return (a_unknown | b_unknown) & ~(a & ~a_unknown) & ~(b & ~b_unknown);
}

#endif
