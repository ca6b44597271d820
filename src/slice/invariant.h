/* Invariants in a program: what they are about in the graph of dependences, and where they are checked.
 *
 * Invariant: every variable that the expression names, and every object that it follows a pointer to, is part of the
 * criterion.
 */
#ifndef SLICE_INVARIANT_H
#define SLICE_INVARIANT_H

#include "base/error.h"
#include "rewrite/stated.h"
#include "slice/depend.h"

struct invariant {
    struct stated s;
    int *nodes; /* of the criterion, in the graph of dependences */
    size_t node_count, node_room;
    int *checks; /* functions in which it is checked */
    size_t check_count, check_room;
    int checker; /* the function of the program that checks, -1: the expression is checked */
    int calls;   /* the function that is asked whether it holds, -1: none; the program need not call it */
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
