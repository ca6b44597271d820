/* Errors: a value that holds one sentence for a person.
 *
 * A function that can fail because of something a user gave takes a `struct motet_error *` and returns false or NULL.
 * The sentence says what failed, where, and what to do. Invariant: when such a function returns success the error
 * is untouched; when it fails the text is set and ends in no newline. What cannot happen is an assert, not an error.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

#include "motet/base/error.h"

/* Sets the sentence and returns false, so that a caller can write `return error_set(...)`. */
bool error_set(struct motet_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before the sentence already there; returns false. */
bool error_prefix(struct motet_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__ /* clang-tidy looks at one file at a time, and so cannot know what these return */
#define error_set(...)    (error_set(__VA_ARGS__), false)
#define error_prefix(...) (error_prefix(__VA_ARGS__), false)
#endif

#endif
