/* Checks: the invariants that a user states, put into a preprocessed source as C.
 *
 * A check stands after each statement that may have changed one of the invariant's variables, and where its function is
 * left. Invariant: a check reads and changes nothing but what its expression says; where it fails for the first time,
 * the log is frozen (motet_freeze, motet_trace_end) and motet_violated has the invariant's number, from 1.
 */
#ifndef REWRITE_CHECKS_H
#define REWRITE_CHECKS_H

#include "rewrite/stated.h"

enum { CHECKS_MOST = 255 };

struct check {
    struct stated s;
    char *expression;  /* NULL: only the time counts */
    char *expanded;    /* the same in the source at hand, its macros replaced; NULL: they need not be */
    const char *clock; /* of one about time: an expression, and how many it counts in a second */
    double ticks;      /* of the invariant's time */
    unsigned number;   /* from 1 */
    unsigned placed;   /* checks in all sources so far */
};

/* What a violation freezes. */
enum checks_freeze { CHECKS_FREEZE_NOTHING, CHECKS_FREEZE_LOG, CHECKS_FREEZE_TRACE };

struct checks {
    struct check *list;
    size_t count;
};

/* The invariants, and the clock "EXPRESSION/HZ" for those about time; NULL: none. */
bool checks_make(struct checks *c, const char *const *invariants, size_t count, const char *clock,
                 struct motet_error *e);
void checks_free(struct checks *c);

/* Macros in expressions: a file that the preprocessor is to be given, for a source; and what it made of it. */
bool checks_want_macros(const struct checks *c);
bool checks_ask(const struct checks *c, const char *source, const char *path, struct motet_error *e);
bool checks_take(struct checks *c, const char *path, struct motet_error *e);

/* Rewrites the preprocessed file where it has a function of an invariant. False if a name is not
 * in it. */
bool checks_place(struct checks *c, const char *path, const char *target, bool cpp, const char *const *types,
                  enum checks_freeze freeze, struct motet_error *e);

#endif
