#include "base/digest_many.h"

#include <xxhash.h>
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h> /* takes the place of XXH3_128bits; the digests are the same */
#endif

struct digest digest_of_many(const void *bytes, size_t size)
{
    XXH128_hash_t h = XXH3_128bits(bytes, size);
    return (struct digest){h.high64, h.low64};
}
