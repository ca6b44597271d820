/* Exceptions of a Cortex-M: which are pending, which is taken, entry and return (ARM DDI 0403E, B1.5).
 *
 * Invariant: a line asks for an interrupt (node/interrupts.h) exactly if its exception is pending and enabled. Priority
 * numbers there are those of the firmware plus two, in the bits that the chip has: NMI is 0, HardFault 1.
 */
#ifndef ISA_CORTEX_EXCEPTIONS_H
#define ISA_CORTEX_EXCEPTIONS_H

#include "isa/cortex/cortex.h"
#include "node/node.h"

enum { CORTEX_PRIORITY_FIRST = 2 };

static inline bool cortex_bit(const uint64_t *set, unsigned number)
{
    return set[number / 64] >> number % 64 & 1;
}

static inline void cortex_set_bit(uint64_t *set, unsigned number, bool on)
{
    uint64_t bit = UINT64_C(1) << number % 64;
    set[number / 64] = on ? set[number / 64] | bit : set[number / 64] & ~bit;
}

/* A device raises or lowers its line (isa->line). A line that is high when its handler returns is pending again. */
void cortex_exception_line(struct node *n, unsigned exception, bool level);

void cortex_exception_pend(struct node *n, unsigned exception, bool pending);
void cortex_exception_enable(struct node *n, unsigned exception, bool enabled);
void cortex_exception_set_priority(struct node *n, unsigned exception, uint8_t priority);
uint8_t cortex_exception_priority(const struct node *n, unsigned exception);

/* A fault of the instruction under way, with its bits in CFSR: becomes a HardFault where it cannot be taken. The
 * instruction is executed again after the handler. */
void cortex_exception_fault(struct node *n, unsigned exception, uint32_t status);

/* SVC. */
void cortex_exception_call(struct node *n);

/* Takes the most urgent exception, or wakes the CPU (isa->interrupt). */
bool cortex_exception_take(struct node *n);

/* A branch to an EXC_RETURN value in a handler; the node is in step. Returns the cycles it takes. */
unsigned cortex_exception_return(struct node *n, uint32_t value);

/* Whether an exception could be taken now, or WFI would go on although PRIMASK is set. */
bool cortex_exception_due(const struct node *n, bool despite_primask);

/* The registers of the floating-point unit, if they are still to be stacked. */
void cortex_exception_stack_floats(struct node *n);

/* After a change of masks, priorities or modes. */
void cortex_exception_changed(struct node *n);

uint32_t cortex_xpsr(const struct cortex_cpu *cpu);
void cortex_set_control(struct cortex_cpu *cpu, uint8_t control);
bool cortex_on_process_stack(const struct cortex_cpu *cpu);

#endif
