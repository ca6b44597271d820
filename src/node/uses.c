#include "node/uses.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "node/map.h"

/* ---- what is tracked ---- */

/* Calls with each range of tracked bytes of an arena. */
static void uses_ranges(const struct machine *m, void (*f)(void *, size_t offset, size_t size), void *context)
{
    f(context, m->data_offset + m->ram->backing, m->ram->size);
    for (size_t i = 0; i < m->device_count; i++)
        if (m->devices[i].type->tracked.size)
            f(context, m->devices[i].state_offset + m->devices[i].type->tracked.offset,
              m->devices[i].type->tracked.size);
}

static void uses_add_range(void *context, size_t offset, size_t size)
{
    uint8_t *bits = context;
    for (size_t i = offset; i < offset + size; i++)
        bits[i / 8] |= (uint8_t)(1u << i % 8);
}

static void uses_clear_range(void *context, size_t offset, size_t size)
{
    memset((uint8_t *)context + offset, 0, size);
}

void uses_clear_tracked(const struct machine *m, uint8_t *arena)
{
    uses_ranges(m, uses_clear_range, arena);
}

/* ---- pages of RAM ---- */

static uint32_t uses_pages(const struct machine *m)
{
    return (m->ram->size + PAGE_MASK) >> PAGE_BITS;
}

static uint8_t *uses_mark_of(struct node *n, uint32_t page)
{
    return &n->page[(map_slot(n->machine, n->machine->ram->first) >> PAGE_BITS) + page];
}

static void uses_accessed(struct node *n, size_t offset)
{
    const struct machine *m = n->machine;
    size_t at = offset - m->data_offset - m->ram->backing;
    if (at >= m->ram->size)
        return;
    uint32_t page = (uint32_t)(at >> PAGE_BITS);
    if (--n->uses->fresh[page] == 0)
        *uses_mark_of(n, page) &= (uint8_t)~PAGE_FRESH;
}

void uses_note(struct node *n, size_t offset, size_t count, bool write)
{
    struct uses *u = n->uses;
    for (size_t i = offset; i < offset + count; i++) {
        uint8_t bit = (uint8_t)(1u << i % 8);
        size_t at = i / 8;
        if (!(u->tracked[at] & bit) || (u->read[at] | u->written[at]) & bit)
            continue;
        (write ? u->written : u->read)[at] |= bit;
        uses_accessed(n, i);
    }
}

void uses_all_written(struct node *n)
{
    if (n->uses)
        uses_note(n, 0, n->machine->arena_size, true);
}

/* ---- life ---- */

static struct uses *uses_new(const struct machine *m)
{
    struct uses *u = memory_new(sizeof *u);
    u->size = (m->arena_size + 7) / 8;
    u->tracked = memory_new(3 * u->size + uses_pages(m));
    u->read = u->tracked + u->size;
    u->written = u->read + u->size;
    u->fresh = u->written + u->size;
    uses_ranges(m, uses_add_range, u->tracked);
    return u;
}

void uses_begin(struct node *n)
{
    const struct machine *m = n->machine;
    if (!n->uses)
        n->uses = uses_new(m);
    memset(n->uses->read, 0, 2 * n->uses->size);
    n->uses->blind = false;
    for (uint32_t page = 0; page < uses_pages(m); page++) {
        uint32_t left = m->ram->size - (page << PAGE_BITS);
        n->uses->fresh[page] = (uint8_t)(left < PAGE_MASK + 1 ? left : PAGE_MASK + 1);
        *uses_mark_of(n, page) |= PAGE_FRESH;
    }
}

void uses_end(struct node *n)
{
    if (!n->uses)
        return;
    for (uint32_t page = 0; page < uses_pages(n->machine); page++)
        *uses_mark_of(n, page) &= (uint8_t)~PAGE_FRESH;
    free(n->uses->tracked);
    free(n->uses);
    n->uses = NULL;
}
