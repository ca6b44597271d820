#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/pack.h"
#include "base/pages.h"
#include "isa/isa.h"
#include "chip/chip.h"
#include "node/events.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"

struct snapshot {
    const struct machine *machine;
    unsigned holders;
    bool has_digest; /* of everything but the time */
    struct digest digest;
    struct pages **pages; /* after the arena, in the same memory */
    _Alignas(max_align_t) uint8_t arena[];
};

static struct snapshot *snapshot_new(const struct machine *m)
{
    size_t arena = (m->arena_size + _Alignof(struct pages *) - 1) & ~(_Alignof(struct pages *) - 1);
    struct snapshot *s = memory_bytes(sizeof *s + arena + m->pages_count * sizeof *s->pages);
    s->machine = m;
    s->holders = 1;
    s->has_digest = false;
    s->pages = (struct pages **)(void *)(s->arena + arena);
    return s;
}

static void hold_pages(struct pages **to, struct pages *const *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pages_view(to[i], from[i]);
}

struct snapshot *snapshot_take(const struct node *n)
{
    const struct machine *m = n->machine;
    struct snapshot *s = snapshot_new(m);
    for (size_t i = 0; i < m->pages_count; i++)
        s->pages[i] = pages_share(n->pages[i]);
    events_settle(n);
    memcpy(s->arena, n->arena, m->arena_size);
    return s;
}

struct snapshot *snapshot_share(struct snapshot *s)
{
    s->holders++;
    return s;
}

void snapshot_again(struct snapshot *s, const struct node *n)
{
    assert(s->machine == n->machine && s->holders == 1);
    s->has_digest = false;
    hold_pages(s->pages, n->pages, s->machine->pages_count);
    events_settle(n);
    memcpy(s->arena, n->arena, s->machine->arena_size);
}

/* Whether program memory is what the node's decoded code was made from. */
static bool snapshot_has_code_of(const struct snapshot *s, const struct node *n)
{
    const struct device *d = s->machine->instructions[INSTRUCTION_PROGRAM].device;
    return !d || d->pages == 0xff || pages_is_view(s->pages[d->pages], n->pages[d->pages]);
}

void snapshot_restore(struct node *n, const struct snapshot *s)
{
    const struct machine *m = s->machine;
    assert(m == n->machine);
    bool same_code = snapshot_has_code_of(s, n);
    hold_pages(n->pages, s->pages, m->pages_count);
    memcpy(n->arena, s->arena, m->arena_size);
    events_restored(n);
    n->time = n->state->now;
    n->cut = false;
    n->changed = true;
    if (!same_code)
        m->chip->isa->restored(n);
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type->restored)
            m->devices[i].type->restored(n, &m->devices[i]);
    taps_restored(n);
}

const struct node_state *snapshot_state(const struct snapshot *s)
{
    return (const struct node_state *)(const void *)s->arena;
}

void snapshot_free(struct snapshot *s)
{
    if (!s || --s->holders)
        return;
    for (size_t i = 0; i < s->machine->pages_count; i++)
        pages_free(s->pages[i]);
    free(s);
}

/* ---- digests: the time is apart from the rest, which stays as it is while a node sleeps ---- */

enum { SNAPSHOT_NOW = sizeof(uint64_t) };
static_assert(offsetof(struct node_state, now) == 0, "the time is the first in the arena");

static struct digest digest_but_time(const struct machine *m, const uint8_t *arena, struct pages *const *pages)
{
    struct digest d = digest_of(arena + SNAPSHOT_NOW, m->arena_size - SNAPSHOT_NOW);
    for (size_t i = 0; i < m->pages_count; i++)
        d = digest_join(d, pages_digest(pages[i]));
    return d;
}

static struct digest digest_with_time(struct digest d, uint64_t now)
{
    return digest_join(d, (struct digest){0, now});
}

struct digest node_digest(const struct node *n)
{
    events_settle(n);
    return digest_with_time(digest_but_time(n->machine, n->arena, n->pages), n->state->now);
}

struct digest snapshot_digest(struct snapshot *s, uint64_t now)
{
    if (!s->has_digest)
        s->digest = digest_but_time(s->machine, s->arena, s->pages);
    s->has_digest = true;
    return digest_with_time(s->digest, now);
}

/* ---- as bytes ---- */

static void pages_pack(struct pack *p, const struct pages *now, const struct pages *before)
{
    uint8_t bytes[PAGES_SIZE];
    size_t size = pages_size(now);
    for (size_t at = 0; at < size; at += PAGES_SIZE) {
        if (pages_same(now, before, at))
            continue;
        size_t count = size - at < PAGES_SIZE ? size - at : PAGES_SIZE;
        pages_read(now, at, bytes, count);
        pack_count(p, 1 + at / PAGES_SIZE);
        pack_bytes(p, bytes, count);
    }
    pack_count(p, 0);
}

static bool pages_unpack(struct unpack *u, struct pages *to)
{
    size_t size = pages_size(to);
    for (;;) {
        size_t page = (size_t)unpack_below(u, 1 + (size + PAGES_SIZE - 1) / PAGES_SIZE);
        if (u->failed || page == 0)
            return !u->failed;
        size_t at = (page - 1) * PAGES_SIZE, count = size - at < PAGES_SIZE ? size - at : PAGES_SIZE;
        const uint8_t *bytes = unpack_bytes(u, count);
        if (bytes)
            pages_write(to, at, bytes, count);
    }
}

void snapshot_pack(const struct snapshot *s, uint64_t now, struct pack *p)
{
    const struct machine *m = s->machine;
    pack_bytes(p, &now, sizeof now);
    pack_bytes(p, s->arena + SNAPSHOT_NOW, m->arena_size - SNAPSHOT_NOW);
    for (size_t i = 0; i < m->pages_count; i++)
        pages_pack(p, s->pages[i], m->pages[i]);
}

struct snapshot *snapshot_unpack(const struct machine *m, struct unpack *u)
{
    const uint8_t *arena = unpack_bytes(u, m->arena_size);
    if (!arena)
        return NULL;
    struct snapshot *s = snapshot_new(m);
    memcpy(s->arena, arena, m->arena_size);
    bool good = true;
    for (size_t i = 0; i < m->pages_count; i++) {
        s->pages[i] = pages_share(m->pages[i]);
        good = good && pages_unpack(u, s->pages[i]);
    }
    if (good)
        return s;
    snapshot_free(s);
    return NULL;
}
