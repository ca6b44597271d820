/* Loops that the compiler made: shifts by several bits, copies of structures. They are not in the source, so nothing
 * counts their rounds, and the address of an interrupt in one does not tell in which it came.
 *
 * Functions with such a loop go to where the recorder takes addresses for those of library code, of which it notes a
 * hash of the registers as well. Invariant: of a function that stays where it was, every way back to an address that
 * was executed before passes a count or an entry of the recorder, or is that of a polling loop.
 *
 * Functions get a step where they begin, if they need one (entry_steps.h). Steps of the count that tell no two moments
 * apart are left out: the invariant holds without them, and every call that may not count has one before it as it had.
 */
#ifndef REWRITE_LOOPS_H
#define REWRITE_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Moves such functions of a file of assembly, as the compiler wrote it with a section for each function, to sections
 * `prefix`NAME. *entries: functions that count where they begin. */
bool loops_move(const char *path, const char *prefix, unsigned *entries, struct motet_error *e);

#endif
