/* Native programs: firmware as a program of this computer, with its sources' lines, structs and 16-bit arithmetic.
 *
 * Invariant: the program computes what the chip would, or building it ends with a refusal that names the place.
 */
#ifndef NATIVE_NATIVE_H
#define NATIVE_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

struct motet_error;

struct native_options {
    const char *target_files; /* the folder target/ */
    const char *output;       /* the program to write */
    const char *sanitize;     /* what clang's -fsanitize= takes, NULL: nothing */
    const char *feed;         /* C text: what a log gives the program (native/feed.h), NULL: nothing */
    const char *keep;         /* folder for what is in between, NULL: it is thrown away */
};

/* Sources are those of a compiler's command. False if it cannot be; refusals are printed to standard error. In a module
 * of its own (motet_native.so), since LLVM takes long to load. */
typedef bool native_build_function(const struct native_options *o, char **command, size_t count, struct motet_error *e);
native_build_function motet_native_build;

#endif
