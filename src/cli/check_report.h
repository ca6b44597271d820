/* What a check has found or tried: as lines for a reader, as JSON, and as a counterexample in a file. */
#ifndef CLI_CHECK_REPORT_H
#define CLI_CHECK_REPORT_H

#include "check_options.h"
#include "motet/check.h"

const char *check_violation(enum motet_violation v); /* "fault" */

/* The outcome as a test case, where --junit was given; `saved` is a file to go with it, or NULL. Returns the status of
 * the program. */
int check_junit(struct check_options *o, const char *file, enum motet_violation v, const char *words,
                const char *saved);

/* Prints and saves it; returns the status of the program. */
int check_report(struct check_options *o, motet_check *c, const motet_network *n);

#endif
