/* motet cc: a compiler command, executed on rewritten sources, with the recorder linked in.
 *
 * Each source is preprocessed by the given compiler, rewritten (instrument.h), and compiled by the given compiler; a
 * link gets the recorder after the firmware's objects and before its libraries. Invariant: the output file is made by
 * the given compiler alone, and only if every step before has succeeded.
 */
#ifndef REWRITE_CC_H
#define REWRITE_CC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct cc_options {
    const char *target_files; /* the folder target/ with registers/ and recorder/ */
    const char *board;        /* whose flash the recorder writes, or NULL */
    const char *chip;         /* of that board, or NULL */
    const char *report;       /* file for the report, NULL: none; "-": standard output */
    bool json;                /* the report is JSON, a line for each source and program */
    const char *codec;        /* NULL: the recorder's own choice */
    const char *stamp;        /* the timer that tells positions by cycles, "timer3"; NULL: steps are counted */
    bool waits;               /* what has no room is waited for, not lost */
    const char *profile;      /* "small" or "tiny"; NULL: the whole recorder */
    const char *keep;         /* folder for the rewritten sources, NULL: they are thrown away */
    bool record;              /* false: only the invariants are put in, if there are any */
    const char *const *invariants;
    size_t invariant_count;
    const char *plan; /* of functions to be traced (trace.h), NULL: none */
    unsigned ring;    /* bytes of RAM for the trace */
    /* Whether a program just linked, with a plan, fits its chip; NULL: that is not asked. If it is, a link that fails
     * says nothing. The context is its own. */
    bool (*fits)(void *context, const char *program, const char *chip);
    void *context;
    const char *clock;  /* for invariants about time: EXPRESSION/HZ; NULL: none */
    bool recorder_only; /* make the recorder's object alone, at the command's -o */

    /* Looks for reads of registers in a program just linked that are not recorded, and says them, to the report too
     * (NULL: there is none). False if the program is refused. */
    bool (*look)(const struct cc_options *o, const char *program, const char *chip, FILE *report);
    bool unrecorded; /* such a program is not refused */

    const char *log_interface; /* the component whose interface is logged (interface.h): PIECE,...; NULL: none */
    bool fed;                  /* it is not logged: the component is executed alone, fed by a host */
    const char *log_to;        /* "flash" or "serial"; NULL: as the board has it */
    unsigned log_buffer;       /* bytes of RAM for events that wait to be written out */
    bool calls_only;           /* reads are not logged */
    int log_switch;            /* it can be switched at run time: 1 it begins on, -1 off; 0: it cannot */
    /* The component's variables in a program just linked, and those of them that no code outside changes, as C for the
     * logger: #define LOG_RANGES {0xADDRESS,SIZE},... and LOG_OWNED. False if the program is refused. */
    bool (*ranges)(const struct cc_options *o, const char *program, const char *chip, const char *target, FILE *to);
};

/* The exit status: the compiler's, or 2 with a sentence on standard error. In a module of its own (motet_rewrite.so),
 * since libclang takes longer to load than most other verbs to run. */
int motet_rewrite_cc(const struct cc_options *o, char **arguments, size_t count);

#endif
