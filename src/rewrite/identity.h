/* What the build id of a program is made of, beside the text of its sources and its objects, which are hashed where
 * they are read (cc_hash).
 *
 * Invariant: the same command on the same files gives the same id, wherever temporary files lie. Options, files or
 * libraries of the command that change what is linked change the id.
 */
#ifndef REWRITE_IDENTITY_H
#define REWRITE_IDENTITY_H

#include "rewrite/cc_run.h"

/* The options of the compiler and of the linker, and the files that they name. */
void identity_add_options(struct run *r);
/* Assembly that was made in the run's folder, whose name is left out. */
bool identity_add_assembly(struct run *r, const char *path);

#endif
