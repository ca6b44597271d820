/* Routines of a source in assembly: what routines.c finds, and routines_write.c writes down.
 *
 * Invariant: routines are in the order of their lines, and every line belongs to one of them.
 */
#ifndef REWRITE_ROUTINES_FILE_H
#define REWRITE_ROUTINES_FILE_H

#include "rewrite/expression.h"
#include "rewrite/instrument.h"
#include "rewrite/listing.h"

enum { ROUTINES_NAME = 64 };

/* What an instruction does that matters. */
enum deed {
    READS,   /* a register that can change by itself */
    FOLLOWS, /* a pointer, to memory or a register */
    WRITES,  /* memory, or a register of a device */
    LEAVES,  /* calls, or jumps out of the routine */
    ENABLES, /* lets interrupts in */
    OWN_FRAME /* looks at the stack by its pointer */,
    SLEEPS,
    PROGRAMS, /* writes program memory */
    DEEDS
};

struct routine {
    char name[ROUTINES_NAME]; /* "": what comes before the first */
    bool macro, ends, early;
    size_t first, end; /* lines */
    struct {
        size_t line; /* + 1; 0: does not */
        char what[40];
    } deeds[DEEDS];
};

struct jump {
    unsigned routine;
    char to[ROUTINES_NAME];
    size_t line;
};

struct label {
    unsigned routine;
    char name[ROUTINES_NAME];
};

enum section { SECTION_TEXT, SECTION_EARLY, SECTION_OTHER };

struct routines_file {
    const struct instrument_options *o;
    struct instrumented *r;
    struct motet_error *e;
    const char *place;
    struct listing lines;
    struct constants constants;
    struct routine *routines;
    unsigned count;
    size_t room;
    struct jump *jumps;
    size_t jump_count, jump_room;
    struct label *labels;
    size_t label_count, label_room;
    enum section section;
    bool avr;
};

/* "file:line" of a line of the preprocessed text. */
void routines_place(const struct routines_file *f, size_t line, char *text, size_t size);
bool routines_is_whole(const struct routines_file *f, const struct routine *r); /* is recorded as one */
bool routines_vector(const struct routine *r, unsigned *vector);                /* is a handler */

void routines_write(struct routines_file *f);

#endif
