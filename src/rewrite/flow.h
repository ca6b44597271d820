/* The ways through a function, in the compiler's assembly: which line may be executed after which.
 *
 * Invariant: every way that can be executed is known; some that cannot may be, too.
 */
#ifndef REWRITE_FLOW_H
#define REWRITE_FLOW_H

#include "rewrite/listing.h"

enum { FLOW_NAME = 200 };

/* A label's name, or "". */
void flow_label(const char *line, char name[FLOW_NAME]);
bool flow_jumps(const char *line, char target[FLOW_NAME]); /* what comes back is no jump */
bool flow_is_instruction(const char *line);
bool flow_skips(const char *line); /* perhaps the next instruction */
/* Compilers call the places that jumps lead to .L4 or .LBB0_4; other labels are for debug information. */
bool flow_is_place(const char *label);

/* Of the lines from first to last. */
struct flow *flow_new(const struct listing *l, size_t first, size_t last);
void flow_free(struct flow *f);

/* Whether a line can be executed again without passing one that `passed` says; it is by the listing's lines. */
bool flow_has_circle(const struct flow *f, const bool *passed);

/* Whether after one line another can be executed before one that `passed` says (NULL: none): that one; one that calls,
 * or goes out of the function by a jump; one that returns. */
bool flow_comes_to(const struct flow *f, size_t from, size_t to, const bool *passed);
bool flow_comes_to_call(const struct flow *f, size_t from, const bool *passed);
bool flow_comes_to_return(const struct flow *f, size_t from, const bool *passed);

#endif
