/* What a check has found or tried: as lines for a reader, as JSON, and as a counterexample in a file. */
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "check_rules.h"
#include "motet/check.h"
#include "stage.h"

enum { CHECK_NAMED = 64 }; /* how often options about one device or sensor may be given */

struct check_named {
    const char *texts[CHECK_NAMED];
    size_t count;
};

struct check_options {
    struct run_options run; /* first: options of `motet run` are set here */
    struct motet_check_options how;
    const char *save;     /* file for a counterexample */
    const char *replay;   /* a counterexample to be executed again, or NULL */
    bool repaired;        /* with another firmware than its own */
    const char *resume;   /* a file that says how far a check has come, or NULL */
    const char *property; /* file of properties, or NULL: the scenario's */
    const char *command;
    struct check_named senses, holds; /* "[NODE:]LINE=VOLTS,...", "DEVICE=TIME" */
    struct check_rules rules;
};

const char *check_violation(enum motet_violation v); /* "fault" */

/* The outcome as a test case, where --junit was given; `saved` is a file to go with it, or NULL. Returns the status of
 * the program. */
int check_junit(struct check_options *o, const char *file, enum motet_violation v, const char *words,
                const char *saved);

/* Prints and saves it; returns the status of the program. */
int check_report(struct check_options *o, motet_check *c, const motet_network *n);

#endif
