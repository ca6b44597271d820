/* Refusals: what a native program cannot keep, each with its place in the source.
 *
 * Invariant: a program with a refusal is not built; each place is listed once for each reason.
 */
#ifndef NATIVE_REFUSALS_H
#define NATIVE_REFUSALS_H

#include <stdbool.h>
#include <stddef.h>

struct refusals {
    char **list;
    size_t count, room;
};

/* "file:line: text", or "text" where no file is known. Returns false. */
bool refusals_add(struct refusals *r, const char *file, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void refusals_free(struct refusals *r);

#endif
