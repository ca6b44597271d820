/* Loops that only wait (isa/wait.h), on AVR. */
#ifndef ISA_AVR_WAIT_H
#define ISA_AVR_WAIT_H

#include "isa/avr/code.h"
#include "isa/avr/memory.h"
#include "isa/wait.h"

/* Marks the branches that may close such a loop (AVR_WAIT). The cycles of a round are put into the `d` of an RJMP
 * behind a register's bit, the shortest loops there are: they need no trace, and are passed over at once. Its `r` has
 * AVR_POLLS_... */
enum { AVR_POLLS_UNTIL_SET = 1, AVR_POLLS_TWICE = 2 /* instructions beside the RJMP: one reads, one skips */ };
void avr_waits_mark(struct avr_code *code);

/* Whether such an RJMP, in code that nodes share, polls a bit that stays what it is until an event comes. Most do; for
 * the others avr_wait_poll looks closer. */
static inline bool avr_wait_is_still(const struct node *n, const struct avr_insn *code, const struct avr_insn *jump)
{
    const struct avr_insn *read = code + jump->k, *skip = jump - 1;
    uint32_t address = read->k, mask = jump->r & AVR_POLLS_TWICE ? skip->r : skip->d;
    if (n->taps || n->code_own || n->uses || n->machine->log || address >= n->machine->register_size)
        return false;
    bool set = n->data[address] & mask, until_set = jump->r & AVR_POLLS_UNTIL_SET;
    return set != until_set && avr_loads_byte(n, n->data, address);
}

/* Then the rounds up to the end of the slice, but for one, are left out. Returns the new `left`. */
static inline int64_t avr_wait_leave_out(struct node *n, const struct avr_insn *jump, int64_t left)
{
    struct wait_round round = {.cycles = jump->d, .instructions = jump->r & AVR_POLLS_TWICE ? 3 : 2};
    uint32_t rounds = (uint32_t)(left >> SLICE_COUNT_BITS) / jump->d - 1;
    n->waits_until = NEVER;
    return wait_pass(n, &round, rounds, left);
}

/* Such an RJMP is about to be executed. The arena has the time, but not the CPU. Returns the new `left`. */
int64_t avr_wait_poll(struct node *n, const struct slice *slice, int64_t left, uint32_t pc);

/* The branch at word `pc` is about to be executed, and the CPU is in the arena: passes over the rounds that follow it.
 * Returns the new `left`. */
int64_t avr_wait_pass(struct node *n, const struct slice *slice, int64_t left, uint32_t pc, struct wait_spin *spin);

#endif
