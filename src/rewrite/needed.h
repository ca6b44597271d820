/* Which entries of the recorder a program calls. The others are left out of the recorder that is linked to it.
 *
 * Invariant: an entry is left out only if every file of the link was read and none has its name.
 */
#ifndef REWRITE_NEEDED_H
#define REWRITE_NEEDED_H

#include "rewrite/cc_run.h"

/* Looks at the words of a link, but for the recorder itself. */
void needed_look(struct run *r, const struct words *link, const char *recorder);
/* The options by which the recorder's sources leave the others out. */
void needed_options(const struct run *r, struct words *w);

#endif
