#include "base/digest.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/digest_many.h"

#define XXH_INLINE_ALL /* most digests are of a few numbers */
#include <xxhash.h>

enum { DIGEST_SHORT = 128 }; /* up to here wide instructions make no difference */

struct digest digest_of(const void *bytes, size_t size)
{
    if (size > DIGEST_SHORT)
        return digest_of_many(bytes, size);
    XXH128_hash_t h = XXH3_128bits(bytes, size);
    return (struct digest){h.high64, h.low64};
}

struct digest digest_join(struct digest first, struct digest second)
{
    uint64_t both[4] = {first.high, first.low, second.high, second.low};
    XXH128_hash_t h = XXH3_128bits(both, sizeof both);
    return (struct digest){h.high64, h.low64};
}

bool digest_equal(struct digest a, struct digest b)
{
    return a.high == b.high && a.low == b.low;
}

void digest_print(struct digest d, char text[DIGEST_TEXT])
{
    snprintf(text, DIGEST_TEXT, "%016" PRIx64 "%016" PRIx64, d.high, d.low);
}
