/* The motet codec: what a read will give is guessed, and only what was not certain is written down.
 *
 * Shared by the node, which encodes (codec_motet.c), and replay (src/record/decoder_motet.c), which decodes. A read is
 * a symbol: its live bits, or, of a timer, how far it went since that was read last. A table, addressed by a hash of
 * the site and the events before, holds for each place the symbol that came there last and how often it was right.
 * Which site a read comes from is not in the log: execution knows it. Waking from sleep is a read, too: of the vector's
 * number.
 *
 * The log is a sequence of *steps*: to the next read about which nothing is certain, which it tells then; or over so
 * many reads that are as was certain, to one that is not, or to an interrupt, or to something else. Where interrupts
 * came again and again in the same place, another one is expected there, which takes one decision. Invariant: both
 * sides do the same with the same events, so that tables and probabilities agree; what was certain takes no bits at
 * all.
 */
#ifndef CODEC_MOTET_H
#define CODEC_MOTET_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "event.h"

/* ---- guessing ---- */

enum {
    PREDICT_PLACES = MOTET_PLACES,
    SYMBOL = 0x3fff, /* of a table's entry; above it, how often that was right, up to twice */
    SYMBOL_SIGN = 0x2000,
    RIGHT_ONCE = 0x4000,
    SURE = 0x8000,
};
/* Sites as in the ring. What they are is all in the high byte, which is what is handed around: `high`. */
enum { SITE_WIDE = 0x80, SITE_CLASS = 0x60, SITE_TIMER = 0x20, SITE_DATA = 0x40, SITE_WOKE = 0x7d };
enum { SITE_WAKE = SITE_WOKE << 8 | 0x1e /* stands for waking up */ };

struct predictor {
    uint16_t table[PREDICT_PLACES];
    uint8_t recent, longer; /* hashes of the last two events, and of some more */
    uint16_t check;         /* of all events so far (event.h) */
    uint8_t position;       /* of a read: how many after the last one of a timer */
    uint16_t narrow, wide;  /* timers of 8 and 16 bits, as last read */
#ifdef CODEC_DECODES
    uint8_t places; /* of the table, less one */
#endif
};

#ifdef CODEC_DECODES
#define PREDICT_LAST(p) ((p)->places)
#else
#define PREDICT_LAST(p) (PREDICT_PLACES - 1)
#endif

static inline uint8_t site_is_timer(uint8_t high)
{
    return (high & SITE_CLASS) == SITE_TIMER;
}

/* Bytes of a frame come after a read of a timer: which of them this is, a byte is guessed by. */
static inline void predict_position(struct predictor *p, uint8_t high)
{
    p->position++;
    if (site_is_timer(high))
        p->position = 0;
}

/* How far a timer went since that was read last; of all others their value. */
static inline uint16_t predict_timer(struct predictor *p, uint8_t high, uint16_t value)
{
    uint16_t was;
    if (!site_is_timer(high))
        return value;
    if (high & SITE_WIDE) {
        was = p->wide;
        p->wide = value;
        return value - was;
    }
    was = p->narrow;
    p->narrow = value;
    return (uint8_t)(value - was);
}

/* Timers are read on the same ways again and again: how long one takes depends on more than the last event. */
static inline uint8_t predict_place(const struct predictor *p, uint8_t high, uint8_t low)
{
    return ((site_is_timer(high) ? p->longer : p->recent) ^ low) & PREDICT_LAST(p);
}

/* Those bits are there that a small number has, with its sign. */
static inline uint16_t predict_symbol(uint16_t known)
{
    return (uint16_t)(((known & SYMBOL) ^ SYMBOL_SIGN) - SYMBOL_SIGN);
}

/* The same as `known & SURE && symbol == predict_symbol(known)`, in less time. */
static inline uint8_t predict_certain(uint16_t known, uint16_t symbol)
{
    return (known & SURE) && ((uint16_t)(symbol + SYMBOL_SIGN) ^ known) == (SURE | SYMBOL_SIGN);
}

PRIVATE __attribute__((noinline)) void predict_history(struct predictor *p, uint8_t what);

/* A read is over. Of timers only that they were read counts for what comes next: when that was varies. */
static inline void predict_pass(struct predictor *p, uint8_t high, uint8_t low, uint16_t symbol)
{
    if (!site_is_timer(high))
        low = (uint8_t)symbol;
    predict_history(p, low);
    p->check = event_note(p->check, symbol);
}

/* Where the vector of an interrupt tells it, the timer stood at its compare register (TARDIS, 3.6). A log begins with
 * how many such there are; then for each the vector with these bits, and the low byte of the register's address. */
enum { COMPARES = 4, COMPARE_VECTOR = 0x3f, COMPARE_HIGH = 0x40 /* the address is above 0x100 */, COMPARE_WIDE = 0x80 };
enum {
    COMPARE_CONTROL = 0x10,
    COMPARE_CAPTURES = 0x0100
}; /* above 0x100: so far before it, with this bit for captures */

static inline void predict_compare(struct predictor *p, uint8_t wide, uint16_t value)
{
    if (wide)
        p->wide = value;
    else
        p->narrow = value;
}

/* ---- how a read is coded that was not certain ---- */

/* Differences with the sign in the lowest bit: 0, -1, 1, -2... and back. */
static inline uint16_t folded(uint16_t difference)
{
#ifdef __MSP430__ /* its compiler makes many shifts of this */
    __asm__("rla %0\n\tjnc 1f\n\tinv %0\n1:" : "+r"(difference)::"cc");
    return difference;
#else
    uint16_t twice = (uint16_t)(difference << 1);
    return difference & 0x8000 ? (uint16_t)~twice : twice;
#endif
}

static inline uint16_t unfolded(uint16_t number)
{
    return number >> 1 ^ (number & 1 ? 0xffff : 0);
}

/* ---- probabilities ---- */

/* That of a one, of 256: each decision takes it nearer to what came by a 16th, rounded, so that it comes near to 0
 * or 1. */

/* Of a number: three trees, whose places 0 hold the decision before them, and the bit after the first. */
enum { NUMBER_SHORT = 0, NUMBER_MIDDLE = 2, NUMBER_LONG = 5, NUMBER_FIRST = 13, NUMBER = 16 };
enum { RECENT_VECTORS = 4, POSITIONS = 32, FRESH = 16, PLACES = 13, EXPECTED = 16, EXPECTED_ONCE = 0x40 };
enum { WAYS = 16, WAY_INSIDE = 0x80 /* and a count; else a place */ };
enum { NOTHING, NO, YES }; /* as expected */
enum { NO_VECTOR = 0xff };
/* Up to STEP_UNSURE, by the class of the read. */
enum { STEP_UNSURE = 3, STEP_WRONG, STEP_INTERRUPT, STEP_OTHER, STEPS };
enum { CONTEXT_POSITIONS = 4, CONTEXT_LIKELY = 0x04, CONTEXTS = 0x20 };
enum { OTHER_NOTHING, OTHER_NOTICE, OTHER_WRAPPED, OTHER_ANEW /* the coder begins anew */ };
enum { AT_CODE, AT_LIBRARY, AT_INSIDE }; /* an interrupt */
enum { CHECK_EVERY = 64 };               /* steps that are not to something unsure */

/* Where an interrupt came in code. */
struct place {
    uint16_t address, count, sp;
};

struct model {
    uint8_t unsure[EXPECTED];               /* is next, by where the step before has led */
    uint8_t wrong[STEPS], interrupt[STEPS]; /* and by what it was */
    uint8_t expect[4];                      /* by how often it came before */
    uint8_t at_once, lengths[NUMBER];       /* no length; else one less than it */
    uint8_t right[CONTEXTS];                /* by the position, the site's class, and whether it was the last time */
    uint8_t timer[4][NUMBER];               /* differences, by width and whether they were sure */
    uint8_t wide[NUMBER];                   /* and of the stack pointer, one less */
    uint8_t vector[2][RECENT_VECTORS];
    uint8_t where[2], other[4];
    uint8_t same[2]; /* place as before, in code and in the recorder */
    uint8_t count[NUMBER];
    uint8_t known, level;             /* address; stack pointer as it was there */
    uint8_t again[CONTEXT_POSITIONS]; /* data and state of 8 bits, as at this position before */
    uint8_t fresh[FRESH];             /* and the upper half of one that is not */
    /* probabilities up to here */
    uint8_t vectors[RECENT_VECTORS]; /* the latest first */
    uint8_t literals[POSITIONS];     /* where nothing was certain, by the position */
    struct place places[PLACES];     /* each address once */
    uint8_t ways[WAYS];              /* where an interrupt came last, by its vector and the events before */
    uint8_t oldest;                  /* place, which a new one takes */
    uint8_t before;                  /* step */
    uint8_t steps;
    uint8_t length, as_expected; /* of the step */
    uint8_t context; /* a place in what is expected: an interrupt, over so many reads with how often above */
    uint8_t expected_length[EXPECTED], expected_vector[EXPECTED];
#ifdef CODEC_DECODES
    uint8_t stamped;
#endif
};

/* Whether cycles stand in the place of addresses (docs/node-logs.md): numbers, and no stack pointer. */
#ifdef CODEC_DECODES
#define STAMPED(m) ((m)->stamped)
#elif defined MOTET_STAMP
#define STAMPED(m) 1
#elif !defined STAMPED
#define STAMPED(m) 0
#endif
/* So a log says in its first byte, which counts compare registers; few: the table has 128 places. */
enum { COMPARES_STAMPED = 0x80, COMPARES_FEW = 0x40 };

/* Most steps are to what is unsure, and hardly any to something else. */
static inline void model_begin(struct model *m, struct predictor *p)
{
    volatile uint8_t *bytes = (uint8_t *)m;
    for (uint16_t i = 0; i < (uint16_t)sizeof *m; i++)
        bytes[i] = i < offsetof(struct model, interrupt) ? 0xd0 : i < offsetof(struct model, vectors) ? 0x80 : 0;
    bytes = (uint8_t *)p;
    for (uint16_t i = 0; i < (uint16_t)sizeof *p; i++)
        bytes[i] = 0;
}

static inline uint8_t step_to(uint8_t high)
{
    return high >> 5 & 3;
}

/* Where the last step has led: what the next one depends on. */
static inline void model_arrive(struct model *m, const struct predictor *p)
{
    m->context = p->longer % EXPECTED;
}

struct interrupt {
    uint8_t at, vector;
    uint16_t address, count, sp;
    uint16_t hash[2];
};

/* ---- what the log says (codec_model.c) ---- */

/* Over so many reads that were certain (m->length then), to what. A step that is not to an interrupt has NO_VECTOR. */
struct coder;
PRIVATE uint8_t model_step(struct coder *c, struct model *m, uint8_t step, uint8_t length, uint8_t vector);
PRIVATE void model_interrupt(struct coder *c, struct model *m, struct predictor *p, struct interrupt *i);
PRIVATE uint8_t model_other(struct coder *c, struct model *m, uint8_t other);
/* After each step that has a length; false if the log was made by other events than these. */
PRIVATE uint8_t model_check(struct coder *c, struct model *m, uint8_t check);
/* An interrupt that was taken counts for the check. */
static inline void predict_note(struct predictor *p, const struct interrupt *i)
{
    p->check = event_note(p->check, i->vector);
    p->check = event_note(p->check, i->count);
    if (i->at == AT_INSIDE)
        return;
    p->check = event_note(p->check, i->address);
    p->check = event_note(p->check, i->sp);
}
/* A read that was not certain, or is not as was certain. */
PRIVATE uint16_t model_read(struct coder *c, struct model *m, struct predictor *p, uint16_t site, uint8_t place,
                            uint16_t symbol);

/* ---- the encoder's memory ---- */

/* Assembly knows members by offsets.c. */
struct codec {
    uint16_t left;        /* reads that are still to come of a unit that stands for several, or of those after it */
    uint16_t site, value; /* of the last read, as in the ring */
    uint8_t hits;         /* reads since the last step, all of them as was certain */
    uint8_t at;           /* the next of them is this byte of the unit; COUNTED: one more than the last */
    struct predictor predictor;
    struct model model;
};
extern struct codec motet_codec;
enum { MOST_HITS = 255, COUNTED = 8 };

#endif
