/* Two machines side by side: the same code in Motet and in simavr, an independent implementation, one instruction at a
 * time.
 *
 * Invariant: after a step that returned true, registers, SREG, stack pointer, program counter, RAM and the number of
 * cycles are equal. What simavr is known to do differently from the manual is in docs/simavr-differences.md and nowhere
 * else. */
#ifndef TESTS_LOCKSTEP_PAIR_H
#define TESTS_LOCKSTEP_PAIR_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/chip.h"
#include "node/machine.h"
#include "node/node.h"

struct avr_t;

struct pair {
    struct machine *machine;
    struct node *node;
    struct avr_t *avr;
    bool plain_io; /* no devices on either side: I/O registers are compared too */
    uint64_t steps;
};

/* Starts both on the machine's program memory; `name` is what simavr calls the chip. */
bool pair_open(struct pair *p, struct machine *m, const char *name, bool plain_io);
void pair_close(struct pair *p);

/* Sets a byte of the data space, or the program counter (word address), on both. */
void pair_poke(struct pair *p, unsigned address, uint8_t value);
void pair_jump(struct pair *p, uint32_t pc);

uint32_t pair_pc(const struct pair *p);
uint16_t pair_opcode(const struct pair *p, uint32_t pc);

/* One instruction on both. False after printing where and in what they differ. */
bool pair_step(struct pair *p);

#endif
