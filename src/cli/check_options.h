/* The options of motet check. */
#ifndef CLI_CHECK_OPTIONS_H
#define CLI_CHECK_OPTIONS_H

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
    bool no_save;         /* none is written */
    const char *replay;   /* a counterexample to be executed again, or NULL */
    bool repaired;        /* with another firmware than its own */
    const char *resume;   /* a file that says how far a check has come, or NULL */
    const char *property; /* file of properties, or NULL: the scenario's */
    const char *command;
    struct check_named senses, holds; /* "[NODE:]LINE=VOLTS,...", "DEVICE=TIME" */
    struct check_rules rules;
};

extern const struct option check_option_list[];

/* Options that name a device or a sensor of the network, which exists by then. */
bool check_options_name(const struct check_options *o, motet_check *c, struct motet_error *e);

/* Choices that a search to a depth leaves out, one after the other from number 0 on; NULL past the last. */
const char *check_options_left_out(const struct check_options *o, size_t *number);

#endif
