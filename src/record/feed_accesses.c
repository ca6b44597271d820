#include "record/feed_accesses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ACCESSES_NESTED = 16, ACCESSES_READ = 1, ACCESSES_WRITTEN = 2 };
enum { TORN_REACH = 4, TORN_MOST = 12 }; /* bytes around one; accesses that are looked at after the return */

struct access {
    uint32_t address;
    bool writes;
};

struct access_list {
    struct access *list;
    size_t count, room;
};

/* A handler that has not returned. */
struct accesses_handler {
    size_t number;
    struct access_list before; /* since the step before the interrupt */
    uint8_t *does;             /* by address */
};

struct feed_accesses {
    size_t size;
    const uint8_t *compared;
    struct access_list now; /* since the last step */
    struct accesses_handler handlers[ACCESSES_NESTED];
    unsigned depth; /* may be more than there is room for */
    struct {
        unsigned left; /* accesses to look at */
        size_t number;
        struct feed_after after;
        uint32_t counts[2 * TORN_REACH + 1]; /* as after.count, of the bytes around it */
        uint8_t later;
    } torn;
};

struct feed_accesses *feed_accesses_new(size_t size, const uint8_t *compared)
{
    struct feed_accesses *a = memory_new(sizeof *a);
    a->size = size;
    a->compared = compared;
    return a;
}

void feed_accesses_free(struct feed_accesses *a)
{
    if (!a)
        return;
    for (unsigned i = 0; i < ACCESSES_NESTED; i++) {
        free(a->handlers[i].before.list);
        free(a->handlers[i].does);
    }
    free(a->now.list);
    free(a);
}

static void feed_accesses_keep(struct access_list *l, struct access access)
{
    l->list = memory_grow(l->list, &l->room, l->count, sizeof *l->list);
    l->list[l->count++] = access;
}

static bool feed_accesses_is_one(const struct feed_accesses *a, uint32_t first, uint32_t second)
{
    return first - a->compared[first] == second - a->compared[second];
}

/* Whether an access is part of the one in which the interrupt came: to a byte of the same number, which has had one
 * access less. */
static bool feed_accesses_is_part(struct feed_accesses *a, uint32_t address, bool writes)
{
    uint32_t offset = address + TORN_REACH - a->torn.after.address;
    if (!a->torn.left || writes != a->torn.after.writes)
        return false;
    a->torn.left--;
    if (offset == TORN_REACH)
        a->torn.left = 0;
    if (offset == TORN_REACH || offset > 2 * TORN_REACH || !feed_accesses_is_one(a, address, a->torn.after.address) ||
        a->torn.counts[offset] >= a->torn.after.count)
        return false;
    a->torn.counts[offset]++;
    a->torn.later |= (uint8_t)(1u << (offset < TORN_REACH ? offset : offset - 1));
    return true;
}

bool feed_accesses_torn(struct feed_accesses *a, size_t *number, uint8_t *later)
{
    *number = a->torn.number;
    *later = a->torn.later;
    return a->torn.later != 0;
}

void feed_accesses_add(struct feed_accesses *a, uint32_t address, unsigned size, bool writes)
{
    for (uint32_t at = address; at < address + size && at < a->size; at++) {
        if (!a->compared[at])
            continue;
        if (!feed_accesses_is_part(a, at, writes)) /* a native program has made that one */
            feed_accesses_keep(&a->now, (struct access){at, writes});
        for (unsigned i = 0; i < a->depth && i < ACCESSES_NESTED; i++)
            a->handlers[i].does[at] |= writes ? ACCESSES_WRITTEN : ACCESSES_READ;
    }
}

void feed_accesses_step(struct feed_accesses *a)
{
    a->torn.left = 0;
    a->torn.later = 0;
    a->now.count = 0;
}

void feed_accesses_interrupt(struct feed_accesses *a, size_t number)
{
    struct accesses_handler *h = a->depth < ACCESSES_NESTED ? &a->handlers[a->depth] : NULL;
    a->depth++;
    if (!h)
        return;
    struct access_list empty = h->before;
    h->number = number;
    h->before = a->now;
    a->now = empty;
    feed_accesses_step(a);
    if (!h->does)
        h->does = memory_new(a->size);
    memset(h->does, 0, a->size);
}

/* How many of the accesses before the interrupt must be made before its handler. */
static size_t feed_accesses_needed(const struct accesses_handler *h)
{
    for (size_t i = h->before.count; i > 0; i--) {
        unsigned does = h->does[h->before.list[i - 1].address];
        if (does & ACCESSES_WRITTEN || (h->before.list[i - 1].writes && does & ACCESSES_READ))
            return i;
    }
    return 0;
}

bool feed_accesses_return(struct feed_accesses *a, size_t *number, struct feed_after *after)
{
    feed_accesses_step(a);
    if (!a->depth || --a->depth >= ACCESSES_NESTED)
        return false;
    const struct accesses_handler *h = &a->handlers[a->depth];
    size_t needed = feed_accesses_needed(h);
    *number = h->number;
    *after = (struct feed_after){0};
    if (needed)
        *after = (struct feed_after){.address = h->before.list[needed - 1].address,
                                     .writes = h->before.list[needed - 1].writes};
    memset(&a->torn, 0, sizeof a->torn);
    for (size_t i = 0; i < needed; i++) {
        uint32_t offset = h->before.list[i].address + TORN_REACH - after->address;
        if (offset <= 2 * TORN_REACH && h->before.list[i].writes == after->writes)
            a->torn.counts[offset]++;
    }
    after->count = a->torn.counts[TORN_REACH];
    a->torn.left = needed ? TORN_MOST : 0;
    a->torn.number = h->number;
    a->torn.after = *after;
    for (size_t i = needed; i < h->before.count; i++) /* a native program makes the others after the handler */
        feed_accesses_keep(&a->now, h->before.list[i]);
    return true;
}
