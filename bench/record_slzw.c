#include "record_slzw.h"

#include <stdlib.h>

enum { BLOCK = 528, ENTRIES = 512, ENTRY_BITS = 9, CACHE = 32, CACHE_BITS = 5, SINGLE = 256, NONE = 0xffff };

/* Strings by their beginning, which is an entry too, and their last byte. */
struct dictionary {
    struct {
        uint16_t beginning;
        uint8_t last;
    } entries[ENTRIES];
    unsigned count;
    uint16_t cache[CACHE]; /* by the low bits of an entry's number */
};

struct bits {
    uint8_t *bytes;
    size_t at, size; /* bits; of a writer: that there is room for */
};

static void *allocated(size_t size)
{
    void *p = calloc(size ? size : 1, 1);
    return p ? p : (abort(), NULL);
}

static void put(struct bits *b, unsigned value, unsigned count)
{
    while (count--) {
        if (value >> count & 1)
            b->bytes[b->at / 8] |= (uint8_t)(0x80 >> b->at % 8);
        b->at++;
    }
}

static unsigned get(struct bits *b, unsigned count)
{
    unsigned value = 0;
    for (; count; count--, b->at++)
        value = value << 1 | (b->at < b->size ? b->bytes[b->at / 8] >> (7 - b->at % 8) & 1 : 0);
    return value;
}

static void begin(struct dictionary *d)
{
    d->count = SINGLE;
    for (unsigned i = 0; i < SINGLE; i++) {
        d->entries[i].beginning = NONE;
        d->entries[i].last = (uint8_t)i;
    }
    for (unsigned i = 0; i < CACHE; i++)
        d->cache[i] = (uint16_t)i;
}

static unsigned find(const struct dictionary *d, unsigned beginning, uint8_t last)
{
    for (unsigned i = SINGLE; i < d->count; i++)
        if (d->entries[i].beginning == beginning && d->entries[i].last == last)
            return i;
    return NONE;
}

static void remember(struct dictionary *d, unsigned entry)
{
    d->cache[entry % CACHE] = (uint16_t)entry;
}

static void add(struct dictionary *d, unsigned beginning, uint8_t last)
{
    if (d->count == ENTRIES)
        return;
    d->entries[d->count].beginning = (uint16_t)beginning;
    d->entries[d->count].last = last;
    remember(d, d->count++);
}

static void put_entry(struct bits *b, struct dictionary *d, unsigned entry)
{
    bool cached = d->cache[entry % CACHE] == entry;
    put(b, !cached, 1);
    put(b, cached ? entry % CACHE : entry, cached ? CACHE_BITS : ENTRY_BITS);
    remember(d, entry);
}

static void encode_block(struct bits *b, const uint8_t *bytes, size_t size)
{
    struct dictionary d;
    begin(&d);
    unsigned so_far = bytes[0];
    for (size_t i = 1; i < size; i++) {
        unsigned longer = find(&d, so_far, bytes[i]);
        if (longer == NONE) {
            put_entry(b, &d, so_far);
            add(&d, so_far, bytes[i]);
            longer = bytes[i];
        }
        so_far = longer;
    }
    put_entry(b, &d, so_far);
}

size_t slzw_encode(const uint8_t *bytes, size_t size, uint8_t **into)
{
    struct bits b = {.bytes = allocated(size * 10 / 8 + 16)};
    for (size_t at = 0; at < size; at += BLOCK)
        encode_block(&b, bytes + at, size - at < BLOCK ? size - at : BLOCK);
    *into = b.bytes;
    return (b.at + 7) / 8;
}

/* The string of an entry ends at `end`; returns where it begins, NULL if that is before `first`. */
static uint8_t *spell(const struct dictionary *d, unsigned entry, uint8_t *first, uint8_t *end)
{
    while (entry != NONE) {
        if (end == first)
            return NULL;
        *--end = d->entries[entry].last;
        entry = d->entries[entry].beginning;
    }
    return end;
}

/* The encoder makes an entry after each string: that string and the first byte of the next one, which is known here
 * only then. */
static size_t decode_block(struct bits *b, uint8_t *into, size_t size)
{
    uint8_t string[BLOCK], *end = string + BLOCK;
    struct dictionary d;
    size_t done = 0;
    bool open = false; /* the newest entry has no last byte yet */
    begin(&d);
    while (done < size) {
        unsigned entry = get(b, 1) ? get(b, ENTRY_BITS) : d.cache[get(b, CACHE_BITS)];
        uint8_t *at = entry < d.count ? spell(&d, entry, string, end) : NULL;
        if (!at)
            return 0;
        if (open)
            d.entries[d.count - 1].last = *at;
        if (open && entry == d.count - 1u)
            end[-1] = *at;
        for (; at < end && done < size; at++)
            into[done++] = *at;
        remember(&d, entry);
        open = d.count < ENTRIES;
        add(&d, entry, 0);
    }
    return done;
}

size_t slzw_decode(const uint8_t *coded, size_t coded_size, size_t size, uint8_t **into)
{
    struct bits b = {.bytes = (uint8_t *)coded, .size = coded_size * 8};
    size_t done = 0;
    *into = allocated(size);
    while (done < size) {
        size_t block = size - done < BLOCK ? size - done : BLOCK;
        if (decode_block(&b, *into + done, block) != block)
            break;
        done += block;
    }
    return done;
}
