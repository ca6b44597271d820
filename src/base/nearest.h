/* Names close to a mistyped one, for "did you mean".
 *
 * Offer every name there is, then ask for the suggestion. Invariant: `found` is sorted by distance, nearest first, and
 * has no name twice. It points to the names offered.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

#include "motet/base/error.h"

struct nearest {
    const char *wanted;
    const char *found[8];
    unsigned distance[8];
    size_t count;
};
void nearest_offer(struct nearest *n, const char *name);

/* Appends "; did you mean `a` or `b`?" to a sentence, if there is anything to suggest. */
void nearest_suggest(const struct nearest *n, struct motet_error *e);

/* The number of single-character edits between two names, a swap of neighbours counting as one; at most `limit` + 1.
 * Capital letters are the same as small ones. */
unsigned nearest_distance(const char *a, const char *b, unsigned limit);

/* How many edits are still a slip, for a name of that length. */
unsigned nearest_slips(size_t length);

#endif
