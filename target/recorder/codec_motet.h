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
#include "predict.h"

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
