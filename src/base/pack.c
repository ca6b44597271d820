#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void pack_free(struct pack *p)
{
    free(p->bytes);
    *p = (struct pack){.bytes = NULL};
}

static uint8_t *pack_grow(struct pack *p, size_t count)
{
    p->bytes = memory_grow(p->bytes, &p->room, p->count + count, 1);
    p->count += count;
    return p->bytes + p->count - count;
}

void pack_bytes(struct pack *p, const void *bytes, size_t count)
{
    if (count)
        memcpy(pack_grow(p, count), bytes, count);
}

void pack_number(struct pack *p, uint64_t value, unsigned bytes)
{
    uint8_t *to = pack_grow(p, bytes);
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

void pack_count(struct pack *p, uint64_t value)
{
    while (value >= 0x80) {
        pack_number(p, value | 0x80, 1);
        value >>= 7;
    }
    pack_number(p, value, 1);
}

void pack_real(struct pack *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pack_number(p, bits, sizeof bits);
}

void pack_text(struct pack *p, const char *text)
{
    size_t length = strlen(text);
    pack_count(p, length);
    pack_bytes(p, text, length);
}

void pack_digest(struct pack *p, struct digest d)
{
    pack_number(p, d.high, 8);
    pack_number(p, d.low, 8);
}

/* ---- reading ---- */

size_t unpack_left(const struct unpack *u)
{
    return u->failed ? 0 : (size_t)(u->end - u->at);
}

const uint8_t *unpack_bytes(struct unpack *u, size_t count)
{
    if (unpack_left(u) < count || u->failed) {
        u->failed = true;
        return NULL;
    }
    u->at += count;
    return u->at - count;
}

uint64_t unpack_number(struct unpack *u, unsigned bytes)
{
    const uint8_t *from = unpack_bytes(u, bytes);
    uint64_t value = 0;
    for (unsigned i = 0; from && i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

uint64_t unpack_count(struct unpack *u)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint64_t byte = unpack_number(u, 1);
        value |= (byte & 0x7f) << shift;
        if (u->failed)
            return 0;
        if (!(byte & 0x80))
            return value;
    }
    u->failed = true;
    return 0;
}

uint64_t unpack_below(struct unpack *u, uint64_t limit)
{
    uint64_t value = unpack_count(u);
    if (value < limit)
        return value;
    u->failed = true;
    return 0;
}

double unpack_real(struct unpack *u)
{
    uint64_t bits = unpack_number(u, sizeof bits);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

char *unpack_text(struct unpack *u)
{
    size_t length = (size_t)unpack_below(u, unpack_left(u));
    const uint8_t *from = unpack_bytes(u, length);
    char *text = memory_new(from ? length + 1 : 1);
    if (from)
        memcpy(text, from, length);
    return text;
}

struct digest unpack_digest(struct unpack *u)
{
    struct digest d = {.high = unpack_number(u, 8)};
    d.low = unpack_number(u, 8);
    return d;
}
