/* Reads numbers from a stretch of bytes.
 *
 * Invariant: `at` never passes `end`. A read that would is a failed one: it gives 0, and takes all that is left.
 */
#ifndef IMAGE_READER_H
#define IMAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reader {
    const uint8_t *at, *end;
    bool failed;
};

static inline size_t reader_left(const struct reader *r)
{
    return (size_t)(r->end - r->at);
}

static inline void reader_skip(struct reader *r, size_t count)
{
    if (reader_left(r) < count) {
        r->failed = true;
        count = reader_left(r);
    }
    r->at += count;
}

/* A little-endian number of up to 4 bytes. */
static inline uint32_t reader_number(struct reader *r, unsigned bytes)
{
    const uint8_t *p = r->at;
    uint32_t value = 0;
    reader_skip(r, bytes);
    if (r->failed)
        return 0;
    for (unsigned n = 0; n < bytes; n++)
        value |= (uint32_t)p[n] << 8 * n;
    return value;
}

/* DWARF's LEB128, of which the low 32 bits are kept (DWARF 5, 7.6). */
static inline uint32_t reader_uleb(struct reader *r)
{
    uint32_t value = 0, byte;
    unsigned shift = 0;
    do {
        byte = reader_number(r, 1);
        if (shift < 32)
            value |= (byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

static inline int32_t reader_sleb(struct reader *r)
{
    const uint8_t *first = r->at;
    uint32_t value = reader_uleb(r);
    size_t bytes = (size_t)(r->at - first);
    if (bytes && bytes < 5 && r->at[-1] & 0x40)
        value |= UINT32_MAX << 7 * bytes;
    return (int32_t)value;
}

#endif
