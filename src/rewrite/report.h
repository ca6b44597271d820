/* The report: what is recorded at each place of each file, and what that costs.
 *
 * A build runs motet cc many times, and each adds its part to one file: of a source, or of a program that was linked.
 * In JSON each part is a line. Invariant: sizes are measured on what the compiler made with and without recording, and
 * are left out where one of them is not known.
 */
#ifndef REWRITE_REPORT_H
#define REWRITE_REPORT_H

#include <stdio.h>

#include "rewrite/instrument.h"
#include "rewrite/sizes.h"

struct report {
    FILE *file; /* NULL: none is wanted */
    bool json;
};

bool report_open(struct report *r, const char *path, bool json, struct motet_error *e);
void report_close(struct report *r);

/* `added` may be NULL. */
void report_source(struct report *r, const char *source, const struct instrumented *i, const struct sizes *added);

struct report_program {
    const char *name;
    const char *family;           /* "avr", "msp430": whose cycles */
    const char *cycles;           /* the file that has them */
    const struct sizes *all;      /* the program, NULL: not known */
    const struct sizes *recorder; /* of it the recorder, NULL: not known */
    const struct sizes *added;    /* of it what recording added, recorder included, NULL: not known */
    bool waits;                   /* what has no room is waited for, not lost */
    const char *profile;          /* NULL: full */
    const char *stamp;            /* the timer that tells positions by cycles, NULL: steps are counted */
    unsigned unknown;             /* objects of which it is not known what was added to them */
};
void report_program(struct report *r, const struct report_program *p);

#endif
