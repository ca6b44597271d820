/* Sources inside a firmware file: what motet cc has compiled, rewritten, in sections that are not loaded.
 *
 * The section is a sequence of texts. Each has a line before it: its compressed size, its size, target, chip, and
 * options about types; then the text, compressed by zstd. Invariant: for any bytes, reading ends with texts or an
 * error.
 */
#ifndef NATIVE_SOURCE_H
#define NATIVE_SOURCE_H

#include "base/error.h"
#include "native/native.h"
#include "rewrite/cc_run.h"

struct source {
    char *text;
    size_t size;
    char head[400]; /* target, chip, options */
};

/* The next text; false at the end, or with a sentence in *e. */
bool source_next(const struct native_recorded *r, size_t *at, struct source *s, struct motet_error *e);

/* The number of a text's first site in the whole program: places of sites are in the order of the link. -1: it has
 * none. */
long source_first_site(const struct native_recorded *r, const struct source *s);

#endif
