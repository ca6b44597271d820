/* Where Motet's own files are: the modules that rewrite sources and make native programs, and the folder target/ with
 * what runs on nodes.
 *
 * Invariant: all are found relative to the program or shared library that this code is part of, wherever that was
 * moved to. No path of the machine that built it is compiled in. The build folder has the same files beside the
 * program.
 */
#ifndef API_INSTALLED_H
#define API_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "native/native.h"

bool installed_module(const char *name, char *path, size_t size, struct motet_error *e);
bool installed_target(char *path, size_t size, struct motet_error *e); /* MOTET_TARGET in the environment wins */

/* What builds native programs, in the module that stands on LLVM. NULL: this build does not have it. */
native_build_function *installed_native(struct motet_error *e);

#endif
