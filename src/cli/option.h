/* Verbs and options: one table a verb, from which parsing, --help and the man page's OPTIONS all come.
 *
 * Invariant: what --help and the man page say is what is parsed, because there is nothing else to say it from.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stddef.h>

#include "motet/motet.h"

struct option {
    const char *name;     /* without the dashes; NULL ends a table */
    const char *argument; /* what follows it, as help names it; NULL for a flag */
    const char *about;    /* sentences without the last full stop; no markup */
    bool (*set)(void *into, const char *argument, struct motet_error *e);
};

/* An older spelling of an option: accepted, and shown nowhere. */
struct option_alias {
    const char *old, *name; /* NULL ends a list */
};

struct verb {
    const char *name;
    const char *operands; /* "FILE", or "" */
    const char *about;    /* what it does, in a few words: "run a firmware" */
    const char *more;     /* a paragraph for --help */
    const struct option *options;
    const struct option *lent; /* another verb's table, or NULL */
    const char *const
        *borrowed; /* the names of those taken from it, NULL at the end; `into` begins with what they set */
    const struct option_alias *aliases;                      /* or NULL */
    int (*run)(const struct verb *v, int argc, char **argv); /* arguments after the verb; returns the exit status */
};

/* All verbs, NULL at the end. */
extern const struct verb *const verbs[];
const struct verb *verb_named(const char *name);

/* The verb's options one after the other, its own first; NULL before the first and after the last. */
const struct option *options_after(const struct verb *v, const struct option *o);

/* Sets the options into `into` and collects what is not an option, at most `limit` of it. False where the verb is to
 * return *status at once: help was printed, or an error was. */
bool options_parse(const struct verb *v, int argc, char **argv, void *into, const char *operands[], size_t limit,
                   int *status);

/* How many arguments come before `--`, after which a compiler's command stands. Negative: --help was among them, and is
 * printed. */
int options_before_command(const struct verb *v, int argc, char **argv);

/* "K/N": one of N parts, from 1; of motet cc and motet slice. */
bool option_part(const char *text, unsigned *part, unsigned *parts, struct motet_error *e);

void options_help(const struct verb *v);
void options_man(const struct verb *v); /* the SYNOPSIS line's options, then the OPTIONS list, in mdoc */

#endif
