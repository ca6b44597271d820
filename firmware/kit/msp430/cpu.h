/* Atomic sections nest: each end restores what its beginning found. */
#ifndef KIT_MSP430_CPU_H
#define KIT_MSP430_CPU_H

#include <msp430.h>
#include <stdint.h>

#define CPU_GIE 8u /* in SR */

typedef uint16_t cpu_state;

/* After DINT one more instruction may still be interrupted (SLAU049, 2.2.1), hence the NOP. */
static inline cpu_state atomic_begin(void)
{
    cpu_state saved;
    __asm__ volatile("mov r2, %0\n\tdint\n\tnop" : "=r"(saved)::"memory");
    return saved;
}

static inline void atomic_end(cpu_state saved)
{
    if (saved & CPU_GIE)
        __asm__ volatile("nop\n\teint\n\tnop" ::: "memory");
}

static inline void cpu_interrupts_on(void)
{
    __asm__ volatile("nop\n\teint\n\tnop" ::: "memory");
}

#endif
