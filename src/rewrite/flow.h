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

/* Whether a line of those from first to last can be executed again without passing one that `passed` says. */
bool flow_has_circle(const struct listing *l, size_t first, size_t last, const bool *passed);

#endif
