/* Moments of a saved run: times at which its digest is known, most of them with a snapshot.
 *
 * Invariant: the first moment is at the end of some stretch of the run, the last at its end, without a snapshot; times
 * do not decrease.
 */
#ifndef API_SAVED_MOMENTS_H
#define API_SAVED_MOMENTS_H

#include "base/digest.h"
#include "base/pack.h"

struct saved_moment {
    uint64_t time;  /* nanoseconds */
    size_t entries; /* inputs applied by then */
    bool ready;     /* a sole node was stopped there before an instruction (network_is_ready) */
    struct digest digest;
    size_t chunk; /* which of the sections with states has its snapshot, */
    size_t at;    /* from which byte on, */
    size_t size;  /* and how many bytes it takes; 0: it has none */
};

/* Snapshots of a chunk follow each other as differences: most of a state is as it was, and zeros compress best. Makes a
 * difference of a state and the one before it, or a state of the difference. */
static inline void saved_moments_difference(uint8_t *bytes, size_t size, const uint8_t *before, size_t before_size)
{
    for (size_t i = 0; i < size && i < before_size; i++)
        bytes[i] ^= before[i];
}

static inline void saved_moment_pack(struct pack *p, const struct saved_moment *m)
{
    pack_count(p, m->time);
    pack_count(p, m->entries);
    pack_count(p, m->ready);
    pack_digest(p, m->digest);
    pack_count(p, m->chunk);
    pack_count(p, m->at);
    pack_count(p, m->size);
}

static inline void saved_moment_unpack(struct unpack *u, struct saved_moment *m)
{
    *m = (struct saved_moment){.time = unpack_count(u)};
    m->entries = (size_t)unpack_count(u);
    m->ready = unpack_below(u, 2) != 0;
    m->digest = unpack_digest(u);
    m->chunk = (size_t)unpack_count(u);
    m->at = (size_t)unpack_count(u);
    m->size = (size_t)unpack_count(u);
}

#endif
