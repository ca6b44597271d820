/* Making the recorder: its sources in target/recorder, compiled for the chip and the options of a command.
 *
 * Every source becomes assembly, in the order of sources.txt, and all of it one object: so the compiler sees the C as a
 * whole, assembly shares its sections and macros, and short calls can be used where they reach. What assembly must know
 * of C comes from offsets.c, what both must know of the chip from its table (facts.h).
 */
#ifndef REWRITE_RECORDER_H
#define REWRITE_RECORDER_H

#include "rewrite/cc_run.h"

/* The object at `to`. 0, or the exit status of the run. Unless it is made alone (--recorder) it has the build id, which
 * is made of the run's identity so far and of the recorder itself. */
int recorder_make(struct run *r, const char *to);

/* For code that is linked to a firmware beside its own: the options of the command without those about the
 * application's code; and the build id at the end of an assembly file. */
void recorder_options(const struct run *r, struct words *w);
bool recorder_add_build_id(struct run *r, const char *assembly);

#endif
