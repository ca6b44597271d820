/* The events of a log of a Cortex-M, as bytes, and the guesses by which most of them take none (codec `words`).
 *
 * Recorder and replay include this file and guess alike: both keep the same tables, from the same events. Of what comes
 * as guessed only the number is written. Invariant: what is in the tables depends on the events before and on nothing
 * else, and the check is made of all of them.
 *
 * A token begins with a byte:
 *
 *     0x00 to 0x7f    one more than that many reads as guessed
 *     WORDS_READ_...    a read otherwise: a difference of one or two bytes to the last value at the address, or the
 * value WORDS_INTERRUPT   vector (2), how often the recorder was left without an event since the last one (2), cycles
 * (4), address of the return (4), stack pointer (4) WORDS_AGAIN       vector (1): an interrupt that came as the last
 * one with this vector did WORDS_BLOCK       memory that hardware filled, as runs: 0x00 to 0x7f, one more than that
 * many bytes; 0x80 to 0xff, two more than it exceeds 0x80 times the byte that follows WORDS_BEGIN       check of the
 * variables (2) WORDS_CHECK       check of the events before (2) WORDS_FROZEN, WORDS_LOST
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdint.h>

enum {
    WORDS_RUN_MOST = 0x80, /* reads that one token stands for */
    WORDS_READ_BYTE = 0x80,
    WORDS_READ_NEAR,
    WORDS_READ_FAR,
    WORDS_READ_WORD,
    WORDS_INTERRUPT,
    WORDS_AGAIN,
    WORDS_BLOCK,
    WORDS_BEGIN,
    WORDS_CHECK,
    WORDS_FROZEN,
    WORDS_LOST,
};

/* Exceptions from here on come by themselves and are recorded; others follow from what is executed. */
enum { WORDS_FIRST_VECTOR = 14, WORDS_VECTORS = 256 };

enum { WORDS_PLACES = 64, WORDS_GUESSES = 256, WORDS_KNOWN = 8 };

/* Where an interrupt came. */
struct words_place {
    uint16_t vector, count;
    uint32_t cycles, address, sp;
};

struct words_guess {
    uint32_t last[WORDS_PLACES];           /* value at an address */
    uint32_t next[WORDS_GUESSES];          /* by what was read before */
    struct words_place known[WORDS_KNOWN]; /* interrupts, by vector */
    uint32_t before;                       /* what was read before */
    uint16_t check;
    uint16_t unused;
};

static inline uint32_t *words_last(struct words_guess *g, uint32_t address)
{
    return &g->last[(address >> 2 ^ address >> 10 ^ address >> 14) % WORDS_PLACES];
}

static inline uint32_t *words_next(struct words_guess *g, uint32_t address)
{
    return &g->next[((address >> 2 ^ address >> 12) + g->before) % WORDS_GUESSES];
}

static inline struct words_place *words_known(struct words_guess *g, unsigned vector)
{
    return &g->known[vector % WORDS_KNOWN];
}

static inline void words_note(struct words_guess *g, uint32_t word)
{
    g->check = (uint16_t)(3 * g->check + (uint16_t)word);
    g->check = (uint16_t)(3 * g->check + (uint16_t)(word >> 16));
}

/* A read has been recorded, or replayed. */
static inline void words_learn_read(struct words_guess *g, uint32_t address, uint32_t value)
{
    *words_next(g, address) = value;
    *words_last(g, address) = value;
    g->before = 13 * (address >> 2) + value + (value >> 8) + (value >> 16);
    words_note(g, address);
    words_note(g, value);
}

static inline void words_learn_interrupt(struct words_guess *g, const struct words_place *p)
{
    *words_known(g, p->vector) = *p;
    g->before = p->vector;
    words_note(g, (uint32_t)p->vector << 16 | p->count);
    words_note(g, p->cycles);
    words_note(g, p->address);
    words_note(g, p->sp);
}

#endif
