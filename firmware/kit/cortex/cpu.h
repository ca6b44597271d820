/* Atomic sections nest: each end restores what its beginning found. */
#ifndef KIT_CORTEX_CPU_H
#define KIT_CORTEX_CPU_H

#include <stdint.h>

typedef uint32_t cpu_state; /* PRIMASK */

static inline cpu_state atomic_begin(void)
{
    cpu_state saved;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(saved)::"memory");
    return saved;
}

static inline void atomic_end(cpu_state saved)
{
    __asm__ volatile("msr primask, %0" ::"r"(saved) : "memory");
}

static inline void cpu_interrupts_on(void)
{
    __asm__ volatile("cpsie i" ::: "memory");
}

/* The handler of interrupt number `number` of the chip (target/cortex/start.c). */
#define CPU_INTERRUPT(number)      \
    void interrupt_##number(void); \
    void interrupt_##number(void)

#define CPU_INTERRUPT_SET(base, number) (((volatile uint32_t *)(base))[(number) / 32] = 1u << (number) % 32)
#define CPU_INTERRUPT_ENABLE(number)    CPU_INTERRUPT_SET(0xe000e100, number)
#define CPU_INTERRUPT_RAISE(number)     CPU_INTERRUPT_SET(0xe000e200, number)
#define CPU_INTERRUPT_FORGET(number)    CPU_INTERRUPT_SET(0xe000e280, number) /* one that is due */

#endif
