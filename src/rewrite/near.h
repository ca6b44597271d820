/* Short calls: the compiler takes CALL and JMP of two words for every function, where RCALL and RJMP of one word would
 * reach. The linker could make them short, but not those of one object alone.
 *
 * Invariant: a call is made short only if it reaches however its file is linked, as long as its functions stay in order
 * and side by side; leaving some out only brings the others nearer.
 */
#ifndef REWRITE_NEAR_H
#define REWRITE_NEAR_H

#include <stdbool.h>

#include "base/error.h"

/* In a file of assembly that avr-gcc wrote. Functions before the first of the compiler's own sections, in assembly that
 * the source holds, are left as they are. */
bool near_calls(const char *path, struct motet_error *e);

#endif
