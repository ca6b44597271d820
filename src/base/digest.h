/* Digests: 128 bits that stand for a state.
 *
 * Invariant: a digest depends only on the bytes fed in and on their order, never on the host's byte order, addresses or
 * library version (XXH3 is frozen), so a digest written today can be compared on another machine tomorrow.
 */
#ifndef BASE_DIGEST_H
#define BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct digest {
    uint64_t high, low;
};

struct digest digest_of(const void *bytes, size_t size);
struct digest digest_join(struct digest first, struct digest second);
bool digest_equal(struct digest a, struct digest b);

#define DIGEST_TEXT 33
void digest_print(struct digest d, char text[DIGEST_TEXT]);

#endif
