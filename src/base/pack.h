/* Packs: values as bytes, for files that other machines read.
 *
 * Numbers are little-endian on every host; lengths come before what they count. Invariant: reading never goes beyond
 * the bytes there are. The first value that does not fit sets `failed`, and everything read from then on is zero or
 * empty. So a reader checks once at its end.
 */
#ifndef BASE_PACK_H
#define BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"

/* Bytes being written; grows as needed. */
struct pack {
    uint8_t *bytes;
    size_t count, room;
};

void pack_free(struct pack *p);
void pack_bytes(struct pack *p, const void *bytes, size_t count);
void pack_number(struct pack *p, uint64_t value, unsigned bytes); /* the low bytes of it */
void pack_count(struct pack *p, uint64_t value);                  /* seven bits a byte: small ones are short */
void pack_real(struct pack *p, double value);
void pack_text(struct pack *p, const char *text);
void pack_digest(struct pack *p, struct digest d);

/* Bytes being read. */
struct unpack {
    const uint8_t *at, *end;
    bool failed;
};

size_t unpack_left(const struct unpack *u);
const uint8_t *unpack_bytes(struct unpack *u, size_t count); /* where they are; NULL if there are not so many */
uint64_t unpack_number(struct unpack *u, unsigned bytes);
uint64_t unpack_count(struct unpack *u);
uint64_t unpack_below(struct unpack *u, uint64_t limit); /* a count; fails unless it is below the limit */
double unpack_real(struct unpack *u);
char *unpack_text(struct unpack *u); /* in memory of its own; never NULL, empty on failure */
struct digest unpack_digest(struct unpack *u);

#endif
