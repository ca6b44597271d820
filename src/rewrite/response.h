/* Response files: `@FILE` in a command stands for the words in that file, as GCC and clang read them: apart by white
 * space, with quotes around words that have some, and a backslash before a character that stands for itself.
 *
 * Invariant: the words are in the order in which the compiler gets them.
 */
#ifndef REWRITE_RESPONSE_H
#define REWRITE_RESPONSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The words with those of response files in their places, each allocated, then NULL. NULL if files name each other in a
 * circle, or one cannot be read. */
char **response_expand(char **words, size_t count, size_t *expanded, struct motet_error *e);
void response_free(char **words);

#endif
