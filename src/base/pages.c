#include "base/pages.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A page keeps its digest once computed; a write (possible only while unshared) forgets it. */
struct page {
    atomic_uint users;
    atomic_bool hashed;
    struct digest digest;
    uint8_t bytes[PAGES_SIZE];
};

/* The table of pages is shared as a whole, so that a snapshot is one reference, and copied on the first write after.
 * It keeps the digest of the whole memory: the first computation stores it, and a write (possible only while
 * unshared) discards it. */
enum { UNKNOWN, BEING_WRITTEN, KNOWN };

struct table {
    atomic_uint users;
    atomic_int has_digest;
    struct digest digest;
    size_t size, count;
    struct page *page[];
};

struct pages {
    struct table *table;
};

static void page_drop(struct page *p)
{
    if (atomic_fetch_sub(&p->users, 1) == 1)
        free(p);
}

static struct table *table_new(size_t size)
{
    size_t count = (size + PAGES_SIZE - 1) / PAGES_SIZE;
    struct table *t = memory_with_array(sizeof *t, count, sizeof *t->page);
    atomic_init(&t->users, 1);
    atomic_init(&t->has_digest, UNKNOWN);
    t->size = size;
    t->count = count;
    return t;
}

static void table_drop(struct table *t)
{
    if (atomic_fetch_sub(&t->users, 1) != 1)
        return;
    for (size_t i = 0; i < t->count; i++)
        page_drop(t->page[i]);
    free(t);
}

struct pages *pages_new(size_t size, uint8_t fill)
{
    struct pages *p = memory_bytes(sizeof *p);
    p->table = table_new(size);
    if (p->table->count == 0)
        return p;
    struct page *blank = memory_new(sizeof *blank);
    atomic_init(&blank->users, (unsigned)p->table->count);
    memset(blank->bytes, fill, PAGES_SIZE);
    for (size_t i = 0; i < p->table->count; i++)
        p->table->page[i] = blank;
    return p;
}

struct pages *pages_share(const struct pages *p)
{
    struct pages *q = memory_bytes(sizeof *q);
    atomic_fetch_add(&p->table->users, 1);
    q->table = p->table;
    return q;
}

void pages_view(struct pages *p, const struct pages *of)
{
    if (p->table == of->table)
        return;
    atomic_fetch_add(&of->table->users, 1);
    table_drop(p->table);
    p->table = of->table;
}

void pages_free(struct pages *p)
{
    if (!p)
        return;
    table_drop(p->table);
    free(p);
}

size_t pages_size(const struct pages *p)
{
    return p->table->size;
}

static void own_table(struct pages *p)
{
    struct table *old = p->table;
    if (atomic_load(&old->users) == 1) {
        atomic_store(&old->has_digest, UNKNOWN);
        return;
    }
    struct table *t = table_new(old->size);
    for (size_t i = 0; i < t->count; i++) {
        t->page[i] = old->page[i];
        atomic_fetch_add(&t->page[i]->users, 1);
    }
    p->table = t;
    table_drop(old);
}

static uint8_t *own_page(struct pages *p, size_t at)
{
    assert(at < p->table->size);
    own_table(p);
    struct page **slot = &p->table->page[at / PAGES_SIZE];
    if (atomic_load(&(*slot)->users) != 1) {
        struct page *copy = memory_bytes(sizeof *copy);
        atomic_init(&copy->users, 1);
        memcpy(copy->bytes, (*slot)->bytes, PAGES_SIZE);
        page_drop(*slot);
        *slot = copy;
    }
    atomic_store(&(*slot)->hashed, false);
    return (*slot)->bytes;
}

uint8_t pages_get(const struct pages *p, size_t at)
{
    assert(at < p->table->size);
    return p->table->page[at / PAGES_SIZE]->bytes[at % PAGES_SIZE];
}

void pages_set(struct pages *p, size_t at, uint8_t value)
{
    own_page(p, at)[at % PAGES_SIZE] = value;
}

void pages_read(const struct pages *p, size_t at, void *to, size_t count)
{
    uint8_t *out = to;
    assert(at <= p->table->size && count <= p->table->size - at);
    while (count > 0) {
        size_t offset = at % PAGES_SIZE, n = PAGES_SIZE - offset < count ? PAGES_SIZE - offset : count;
        memcpy(out, p->table->page[at / PAGES_SIZE]->bytes + offset, n);
        out += n, at += n, count -= n;
    }
}

void pages_write(struct pages *p, size_t at, const void *from, size_t count)
{
    const uint8_t *in = from;
    assert(at <= p->table->size && count <= p->table->size - at);
    while (count > 0) {
        size_t offset = at % PAGES_SIZE, n = PAGES_SIZE - offset < count ? PAGES_SIZE - offset : count;
        memcpy(own_page(p, at) + offset, in, n);
        in += n, at += n, count -= n;
    }
}

void pages_fill(struct pages *p, size_t at, uint8_t value, size_t count)
{
    uint8_t bytes[PAGES_SIZE];
    memset(bytes, value, sizeof bytes);
    while (count > 0) {
        size_t n = count < PAGES_SIZE ? count : PAGES_SIZE;
        pages_write(p, at, bytes, n);
        at += n, count -= n;
    }
}

bool pages_same(const struct pages *a, const struct pages *b, size_t at)
{
    const struct page *x = a->table->page[at / PAGES_SIZE], *y = b->table->page[at / PAGES_SIZE];
    return x == y || memcmp(x->bytes, y->bytes, PAGES_SIZE) == 0;
}

bool pages_is_view(const struct pages *a, const struct pages *b)
{
    return a->table == b->table;
}

static struct digest page_digest(struct page *p)
{
    /* Two threads that race here compute the same value, but only an unshared page may be written to. */
    if (atomic_load(&p->hashed))
        return p->digest;
    struct digest d = digest_of(p->bytes, PAGES_SIZE);
    if (atomic_load(&p->users) == 1) {
        p->digest = d;
        atomic_store(&p->hashed, true);
    }
    return d;
}

static struct digest table_digest(const struct table *t)
{
    struct digest all = {t->size, 0}, one = {0, 0};
    for (size_t i = 0; i < t->count; i++) {
        if (i == 0 || t->page[i] != t->page[i - 1]) /* pages never written are all the same one */
            one = page_digest(t->page[i]);
        all = digest_join(all, one);
    }
    return all;
}

struct digest pages_digest(struct pages *p)
{
    struct table *t = p->table;
    if (atomic_load(&t->has_digest) == KNOWN)
        return t->digest;
    struct digest d = table_digest(t);
    int unknown = UNKNOWN;
    if (atomic_compare_exchange_strong(&t->has_digest, &unknown, BEING_WRITTEN)) {
        t->digest = d;
        atomic_store(&t->has_digest, KNOWN);
    }
    return d;
}
