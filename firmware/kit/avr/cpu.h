/* Atomic sections nest: each end restores what its beginning found. */
#ifndef KIT_AVR_CPU_H
#define KIT_AVR_CPU_H

#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

typedef uint8_t cpu_state;

static inline cpu_state atomic_begin(void)
{
    cpu_state saved = SREG;
    cli();
    return saved;
}

static inline void atomic_end(cpu_state saved)
{
    __asm__ volatile("" ::: "memory"); /* what is protected stays before this line */
    SREG = saved;
}

static inline void cpu_interrupts_on(void)
{
    sei();
}

#endif
