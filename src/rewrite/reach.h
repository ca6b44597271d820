/* Instructions by their words: how long they are, what they take, and how far jumps reach.
 *
 * Invariant: none is longer than is said here.
 */
#ifndef REWRITE_REACH_H
#define REWRITE_REACH_H

#include <stdbool.h>

#include "base/error.h"

/* Of a line, 0 if it is no instruction. Cycles are about as many as it takes. */
unsigned reach_size(const char *line, bool avr);
unsigned reach_cycles(const char *line, bool avr);

bool reach_is_one_of(const char *line, const char *words); /* its instruction; words with a blank between them */
bool reach_is_always(const char *line);                    /* of a jump: whether it is always taken */
const char *reach_inverse(const char *line);               /* the jump that is taken if this is not; NULL: none */
bool reach_is_code_section(const char *line);              /* a function's own begins */

/* Makes those jumps of a file of assembly longer that would not reach. *reached: all of them do now. */
bool reach_jumps(const char *path, bool avr, bool *reached, struct motet_error *e);

#endif
