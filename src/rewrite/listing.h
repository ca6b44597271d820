/* Lines of a file of assembly.
 *
 * Invariant: lines lie one after the other in one text, each ended by a zero.
 */
#ifndef REWRITE_LISTING_H
#define REWRITE_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct listing {
    char *text;
    char **list; /* without their ends */
    size_t count;
};

bool listing_read(struct listing *l, const char *path, struct motet_error *e);
void listing_free(struct listing *l);

bool listing_starts(const char *text, const char *with);
const char *listing_trimmed(const char *line); /* without blanks before it */

#endif
