/* Interrupts: which lines ask the CPU for one, and which of them is the most urgent.
 *
 * Devices raise and lower their lines (node_irq). A core asks interrupts_any() where it could take one, which is a load
 * and no more, and interrupts_next() for the line to take. A line with a lower priority number is more urgent; of those
 * with the same the number of the line decides, in the order that the instruction set has. Invariant: state->asking is
 * the number of lines that ask. All of it lies in the arena, with room for as many lines as the instruction set has.
 */
#ifndef NODE_INTERRUPTS_H
#define NODE_INTERRUPTS_H

#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"

enum { INTERRUPT_NONE = -1, INTERRUPT_ANY = 0x100 /* above every priority */ };

size_t interrupts_size(const struct interrupt_plan *p); /* in the arena */

static inline bool interrupts_any(const struct node *n)
{
    return n->state->asking != 0;
}

/* A bit for each line. */
static inline uint64_t *interrupts_asking(const struct node *n)
{
    return (uint64_t *)(void *)(n->arena + n->machine->interrupts_offset);
}

/* For a line that the instruction set has. */
static inline bool interrupts_is_asking(const struct node *n, unsigned line)
{
    return interrupts_asking(n)[line / 64] >> line % 64 & 1;
}
bool interrupts_asks(const struct node *n, unsigned line);

/* 64 lines as bits, from line 64 * word on. */
uint64_t interrupts_word(const struct node *n, unsigned word);

/* The most urgent of the lines that ask and have a priority below `below`; INTERRUPT_NONE if none does. */
int interrupts_next(const struct node *n, unsigned below);

/* Raises or lowers a line; whether that changes anything. Devices use node_irq. */
static inline bool interrupts_set(struct node *n, unsigned line, bool level)
{
    uint64_t *word = &interrupts_asking(n)[line / 64], bit = UINT64_C(1) << line % 64;
    if (((*word & bit) != 0) == level)
        return false;
    *word ^= bit;
    n->state->asking += level ? 1 : -UINT64_C(1);
    return true;
}
void interrupts_clear(struct node *n); /* lowers all of them */
void interrupts_reset(struct node *n); /* priorities as well */

unsigned interrupts_priority(const struct node *n, unsigned line);
void interrupts_set_priority(struct node *n, unsigned line, unsigned priority); /* where they are programmable */

#endif
