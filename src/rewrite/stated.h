/* Invariants as a user states them: [PLACE:] EXPRESSION [within TIME | every TIME].
 *
 * PLACE is a file, FILE:FUNCTION, FILE:LINES or a function; nesC's functions may be written with dots. Without an
 * expression, PLACE names a function of the program that checks the invariant itself. Invariant: every name in the
 * expression that can be a variable or a function is in `names`; members of others are not.
 */
#ifndef REWRITE_STATED_H
#define REWRITE_STATED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { STATED_NAMES = 32 };

enum stated_kind {
    STATED_ALWAYS,
    STATED_WITHIN, /* holds again so soon after it has held */
    STATED_EVERY,  /* is checked again so soon */
};

struct stated {
    const char *text;
    char file[256], function[256];  /* "": anywhere */
    unsigned first_line, last_line; /* 0: not by lines */
    const char *expression;         /* NULL: the function checks, or only the time counts */
    size_t length;                  /* of the expression */
    enum stated_kind kind;
    double seconds;
    struct stated_name {
        char name[128];
        bool follows, calls; /* a pointer is followed; a function's result */
    } names[STATED_NAMES];
    size_t name_count;
};

bool stated_parse(struct stated *v, const char *text, struct motet_error *e);

/* Whether a path is a file's as it was asked for: the whole or its end; and whether a name is the one asked for, in
 * which nesC's separators may be dots. */
bool stated_is_file(const char *path, const char *file);
bool stated_is_name(const char *is, const char *asked);

#endif
