/* Instrumenting: a preprocessed C file, rewritten so that all that is not determined by its own past goes through the
 * recorder (target/recorder): reads of registers, entries of interrupt handlers, and steps that make the position of an
 * interrupt unique.
 *
 * Invariant: every value that can differ between two runs of the same file from the same state is either recorded or
 * provably without effect; what cannot be decided is recorded, and what cannot be recorded is refused with its place.
 */
#ifndef REWRITE_INSTRUMENT_H
#define REWRITE_INSTRUMENT_H

#include "rewrite/registers.h"

struct site {
    char place[160]; /* file:line:column */
    char name[24];   /* of the register, or what else is recorded */
    enum register_class class;
    uint16_t live;
    unsigned bits;
    const char *why;
};

/* What was found and done in one file. */
/* A function that crosses the boundary of a component, as its wrapper is (wrappers.h). */
struct instrumented_element {
    char name[128];
    char kind;        /* 'i' in, 'o' out, 'v' through a pointer */
    unsigned cycles;  /* where it is logged, without buffers; 0: the wrapper is C, of which that is not known */
    unsigned most;    /* the same, at most: where there is no room, or a handler comes in between */
    unsigned buffers; /* that are logged at the call */
};

struct instrumented {
    char *text;
    size_t size;
    struct site *sites; /* recorded */
    size_t site_count, site_room;
    unsigned fixed;    /* reads that need no recording: the register only changes by writing */
    unsigned unneeded; /* reads of which no bit matters */
    unsigned polls;    /* loops skipped */
    unsigned handlers, steps, functions, idles;
    char **warnings;
    size_t warning_count;
    struct instrumented_element *elements;
    size_t element_count, element_room;
};

struct instrument_options {
    const char *target; /* "avr" or "msp430" */
    const struct registers *registers;
    bool cpp;
    bool optimises;           /* the compiler keeps variables in registers */
    const char *const *types; /* its options that change the size or the sign of types, up to NULL */
    bool watchdog;            /* is to interrupt before it resets */
    bool fed;                 /* a component's wrappers ask a host, instead of logging (target/interface/replayer.c) */
    const char *chip;
    bool calls_only;                /* reads are not logged */
    int component;                  /* which of several the source belongs to, whose target may change; -1: the only */
    bool timed;                     /* calls that are logged have the firmware's time */
    const struct fact_timer *stamp; /* the timer that tells positions by cycles (stamp.h); NULL: steps are counted */
    bool timers_again;              /* the recorder reads a timer of 16 bits once more: that of profiles on MSP430 */
};

bool instrument(const char *path, const struct instrument_options *o, struct instrumented *r, struct motet_error *e);
void instrumented_free(struct instrumented *r);

#endif
