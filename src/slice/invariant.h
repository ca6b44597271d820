/* Invariants as a user states them: [PLACE:] EXPRESSION [within TIME | every TIME].
 *
 * PLACE is a file, FILE:FUNCTION, FILE:LINES or a function; nesC's functions may be written with dots. Without an
 * expression, PLACE names a function of the program that checks the invariant itself. Invariant: every variable that
 * the expression names, and every object that it follows a pointer to, is part of the criterion.
 */
#ifndef SLICE_INVARIANT_H
#define SLICE_INVARIANT_H

#include "base/error.h"
#include "slice/depend.h"

enum { INVARIANT_NAMES = 32 };

struct invariant {
    const char *text;
    char file[256], function[256];  /* "": anywhere */
    unsigned first_line, last_line; /* 0: not by lines */
    const char *expression;         /* NULL: the function checks */
    bool timed;                     /* within, every */
    struct invariant_name {
        char name[128];
        bool follows, calls; /* a pointer is followed; a function's result */
    } names[INVARIANT_NAMES];
    size_t name_count;
    int *nodes; /* of the criterion, in the graph of dependences */
    size_t node_count, node_room;
    int *checks; /* functions in which it is checked */
    size_t check_count, check_room;
    int checker; /* the function that checks, -1: the expression is checked */
};

bool invariant_parse(struct invariant *v, const char *text, struct motet_error *e);
/* A variable alone, FILE:NAME or NAME, as an expression. */
void invariant_of_name(struct invariant *v, const char *text);
void invariant_free(struct invariant *v);

/* Before variables are taken out of memory: keeps those that the expression names there. */
void invariant_keep(const struct invariant *v, LLVMModuleRef module);

/* Finds the variables and functions in the program. The error names the one that is not there. */
bool invariant_find(struct invariant *v, struct depend *d, struct motet_error *e);

#endif
