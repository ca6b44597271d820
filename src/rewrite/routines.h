/* Sources in assembly: routines whose instructions must not change, since they count cycles (Arduino's pulseIn).
 *
 * A routine that reads registers, and otherwise only calculates, is recorded as a whole: it gets another name, and
 * under its own a few instructions call it and give its result to the recorder. Replay does not execute it; interrupts
 * that came in it come where it would begin. All routines go where the recorder takes addresses for those of library
 * code. Invariant: a routine that was not refused reads nothing which can differ between two runs, is recorded as a
 * whole, or was warned of since it reads through a pointer.
 */
#ifndef REWRITE_ROUTINES_H
#define REWRITE_ROUTINES_H

#include "rewrite/instrument.h"

/* `path` is preprocessed; `place` is what it was called before. */
bool routines_rewrite(const char *path, const char *place, const struct instrument_options *o, struct instrumented *r,
                      struct motet_error *e);

#endif
