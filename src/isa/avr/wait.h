/* Loops that only wait (isa/wait.h), on AVR. */
#ifndef ISA_AVR_WAIT_H
#define ISA_AVR_WAIT_H

#include "isa/avr/code.h"
#include "isa/wait.h"

/* Marks the branches that may close such a loop (AVR_WAIT). The cycles of a round are put into the `d` of an RJMP
 * behind a register's bit, the shortest loops there are: they need no trace, and are passed over at once. Its `r` has
 * AVR_POLLS_... */
enum { AVR_POLLS_UNTIL_SET = 1, AVR_POLLS_TWICE = 2 /* instructions beside the RJMP: one reads, one skips */ };
void avr_waits_mark(struct avr_code *code);

/* Such an RJMP is about to be executed. The arena has the time, but not the CPU. Returns the new `left`. */
int64_t avr_wait_poll(struct node *n, const struct slice *slice, int64_t left, uint32_t pc);

/* The branch at word `pc` is about to be executed, and the CPU is in the arena: passes over the rounds that follow it.
 * Returns the new `left`. */
int64_t avr_wait_pass(struct node *n, const struct slice *slice, int64_t left, uint32_t pc, struct wait_spin *spin);

#endif
