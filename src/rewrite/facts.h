/* Facts of a chip that the recorder on the node needs, from the chip's file in target/registers (docs/recorder.md).
 *
 * Invariant: every register that a fact names is in the same file, and has the size that the recorder takes it for. A
 * chip whose file has no facts can be compiled for, but no recorder can be made for it.
 */
#ifndef REWRITE_FACTS_H
#define REWRITE_FACTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct registers;

enum { FACTS_COMPARES = 4, FACTS_OVERFLOWS = 8, FACTS_TIMERS = 6, FACTS_DMA = 4, FACTS_OWN = 8, FACTS_NAME = 20 };
enum { FACTS_PLAIN, FACTS_TARDIS, FACTS_MOTET, FACTS_CODECS };

/* A register whose value a timer had when the interrupt came; `control` (0: none) says whether it captures instead. */
struct fact_compare {
    unsigned vector;
    bool wide;
    uint16_t at, control;
};

struct fact_overflow {
    unsigned vector;
    bool wide;
};

/* A timer of 16 bits that can tell cycles (--stamp), whose flags are in registers of their own. */
struct fact_timer {
    char name[FACTS_NAME];
    unsigned first, last, halfway;                           /* vectors; that of the compare register */
    uint16_t count, compare, control[2], flags, mask, block; /* registers; 0: there is none */
    uint16_t overflow, enable;                               /* bits of flags; of mask, and of flags as well */
    char clocks[FACTS_NAME];                                 /* the register that chooses its clock; "" */
    char own[FACTS_OWN][FACTS_NAME];                         /* how the names begin of registers that are its own */
};

/* A channel of DMA. Bits of its control: that which makes it write bytes, not words; those that say which way it goes,
 * and how they are where it goes backward. */
struct fact_dma {
    uint16_t control, into, count; /* registers */
    uint16_t byte, way, backward;
};

struct facts {
    uint16_t ram_first, ram_last;
    unsigned block; /* bytes of memory with a check of their own in a checkpoint */
    char codec[FACTS_NAME];
    unsigned ring[FACTS_CODECS], stamped_ring[FACTS_CODECS];
    uint16_t multiplier;
    struct fact_compare compares[FACTS_COMPARES];
    struct fact_overflow overflows[FACTS_OVERFLOWS];
    struct fact_timer timers[FACTS_TIMERS];
    struct fact_dma dma[FACTS_DMA];
    unsigned compare_count, overflow_count, timer_count, dma_count;
};

/* Whether a line of the file begins with a fact's word. */
bool facts_is_line(const char *line);

/* A line of the file, once all its registers are known. The error has no place yet. */
bool facts_parse(struct facts *f, const struct registers *r, const char *line, struct motet_error *e);

/* The timer of that name, or NULL. */
const struct fact_timer *facts_timer(const struct facts *f, const char *name);
/* Whether a register belongs to the timer: the application must leave it alone. */
bool facts_owns(const struct fact_timer *t, const char *name);

/* chip.h for the recorder's sources: all of this as macros. `stamp` is NULL or one of the timers. */
bool facts_write(const struct facts *f, const struct registers *r, const char *chip, bool avr,
                 const struct fact_timer *stamp, FILE *to, struct motet_error *e);

#endif
