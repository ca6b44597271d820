/* Watches: marks on data addresses, and those told of accesses to them. */
#include <string.h>

#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/stops.h"
#include "node/taps.h"

/* ---- marks ---- */

static void mark_slots(void *context, uint32_t first, uint32_t last)
{
    struct node *n = context;
    for (uint32_t slot = first; slot <= last; slot++) {
        n->taps->watched[slot / 8] |= (uint8_t)(1 << (slot & 7));
        n->page[slot >> PAGE_BITS] |= PAGE_WATCHED;
    }
    n->watching = true;
}

static void watches_mark(struct node *n, uint32_t first, uint32_t last)
{
    map_slots(n->machine, first, last, mark_slots, n);
    n->taps->watches_registers |= first <= last && map_has_register(n->machine, first, last);
}

void watches_renew(struct node *n)
{
    struct taps *t = taps_of(n);
    bool registers = t->watches_registers;
    if (n->watching) {
        memset(t->watched, 0, n->machine->slot_count / 8 + 1);
        for (unsigned i = 0; i <= n->machine->slot_count >> PAGE_BITS; i++)
            n->page[i] &= (uint8_t)~PAGE_WATCHED;
    }
    n->watching = false;
    t->watches_registers = (n->hooked & MOTET_ON(REGISTER)) != 0;
    for (unsigned i = 0; i < t->watches.count; i++)
        if (!t->watches.items[i]->dead)
            watches_mark(n, t->watches.items[i]->first, t->watches.items[i]->last);
    for (unsigned i = 0; n->stops && i < n->stops->watch_count; i++)
        watches_mark(n, n->stops->watch[i].first, n->stops->watch[i].last);
    const struct isa *isa = n->machine->chip->isa;
    if (registers != t->watches_registers && isa->watch_registers)
        isa->watch_registers(n);
}

static void narrow(uint32_t first, uint32_t last, uint32_t sp, uint32_t *low, uint32_t *end)
{
    if (last < *low || first >= *end)
        return;
    if (sp < (first & ~1u))
        *end = first & ~1u;
    else
        *low = (last + 2) & ~1u;
}

/* What is watched by its other address is at this one, too. */
static void narrow_all(const struct node *n, uint32_t first, uint32_t last, uint32_t sp, uint32_t *low, uint32_t *end)
{
    narrow(first, last, sp, low, end);
    for (size_t i = 0; n->machine->aliased && i < n->machine->map_count; i++) {
        const struct region *r = &n->machine->map[i];
        uint32_t from = first, to = last;
        if (r->kind == REGION_ALIAS && map_moved(&from, &to, r->first, r->size, r->backing))
            narrow(from, to, sp, low, end);
    }
}

void watches_narrow(const struct node *n, uint32_t sp, uint32_t *low, uint32_t *end)
{
    const struct taps *t = n->taps;
    for (unsigned i = 0; i < t->watches.count; i++)
        if (!t->watches.items[i]->dead)
            narrow_all(n, t->watches.items[i]->first, t->watches.items[i]->last, sp, low, end);
    for (unsigned i = 0; n->stops && i < n->stops->watch_count; i++)
        narrow_all(n, n->stops->watch[i].first, n->stops->watch[i].last, sp, low, end);
}

/* ---- accesses ---- */

static void watches_call(struct node *n, const struct motet_access *a, unsigned when)
{
    struct taps *t = n->taps;
    struct motet_access seen = *a;
    unsigned kind = a->write ? MOTET_WRITE : MOTET_READ, count = t->watches.count;
    seen.after = when == MOTET_AFTER;
    taps_enter(t);
    for (unsigned i = 0; i < count; i++) {
        const struct motet_tap *w = t->watches.items[i];
        if (!w->dead && (w->when & kind) && (w->when & when) &&
            map_reaches(n->machine, a->address, a->size, w->first, w->last))
            w->watched(w->context, n->handle, &seen);
    }
    taps_leave(t);
}

void taps_accessing(struct node *n, const struct motet_access *a)
{
    if (n->watching)
        watches_call(n, a, MOTET_BEFORE);
}

void taps_accessed(struct node *n, const struct motet_access *a)
{
    if (n->watching) {
        for (unsigned i = 0; n->stops && i < a->size; i++)
            stops_accessed(n, a->address + i, a->write ? WATCH_WRITE : WATCH_READ,
                           n->state->instructions - (n->taps->entering && n->state->instructions));
        watches_call(n, a, MOTET_AFTER);
    }
    if (taps_wanted(n, MOTET_ON(REGISTER)))
        taps_register(n, a);
}
