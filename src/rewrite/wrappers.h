/* Wrappers: functions put around calls that cross the boundary of a component, which log them (target/interface).
 *
 * motet_in_F() stands for a function F inside, called from outside; motet_out_F() for F outside, called from inside;
 * motet_via_N() for what a pointer leads to. Each has an entry in a section .motet.crossings: the address of the
 * function by which a replay knows it, its number in the log, the kind, and what is logged, as an interface file says.
 * Invariant: a wrapper logs everything the line says, in its order; what pointers lead to without a size is refused.
 */
#ifndef REWRITE_WRAPPERS_H
#define REWRITE_WRAPPERS_H

#include "rewrite/component.h"
#include "rewrite/pass.h"

enum wrapper_kind { WRAPPER_IN, WRAPPER_OUT, WRAPPER_VIA };

struct wrapper {
    enum wrapper_kind kind;
    int node;         /* the function's declaration, or what is called */
    const char *name; /* of the function; of a pointer: as it is written */
    unsigned number;  /* in its source */
    bool shared;      /* the linker keeps one of those that several sources have */
    bool exported;    /* takes the name of a function inside that others call */
};

/* How the name of a wrapper begins, but for pointers; and whether the source's component is the one that is logged now:
 * as a condition in C, and as the beginning of a statement. Both are empty where there is one component. */
const char *wrapper_prefix(const struct pass *p, enum wrapper_kind kind);
const char *wrapper_is_target(const struct pass *p);
const char *wrapper_if_target(const struct pass *p);

/* Writes the wrapper at the end of the text; false if it is refused. */
bool wrapper_write(struct pass *p, const struct component *c, const struct wrapper *w);

/* Whether reads of one and two bytes are logged by motet_seen1_in() and so on, which change few registers. */
bool wrappers_spare(const struct pass *p);

/* What comes before and after all of them. */
void wrappers_begin(struct pass *p);
void wrappers_end(struct pass *p, unsigned count);

/* What has to be done to the compiler's assembly. Of wrappers that several sources have, the linker is to keep one:
 * each gets a group of its own. Of wrappers that are assembly, what the compiler puts before that goes. */
bool wrappers_fold(const char *assembly, struct motet_error *e);

#endif
