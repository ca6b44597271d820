/* Errors, and help for a mistyped word.
 *
 * Functions that can fail because of what they were given take a `struct motet_error *` and return NULL or false. On
 * success the error is untouched.
 */
#ifndef MOTET_ERROR_H
#define MOTET_ERROR_H

#include "motet/base/error.h"

#include "motet/base/begin.h"

/* The candidate nearest to a mistyped word, NULL if none is near. Call it with each candidate in turn, starting with
 * `best` NULL. */
const char *motet_word_nearer(const char *word, const char *best, const char *candidate);

#include "motet/base/end.h"

#endif
