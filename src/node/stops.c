#include "node/stops.h"

#include <stdlib.h>
#include <string.h>

#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"

static void mark(struct node *n, bool on)
{
    const struct stops *s = n->stops;
    const struct isa *isa = n->machine->chip->isa;
    for (unsigned i = 0; isa->stop_at && i < s->at_count; i++)
        isa->stop_at(n, s->at[i], on);
    for (unsigned i = 0; i < s->watch_count; i++)
        for (uint32_t page = s->watch[i].first >> 8; page <= s->watch[i].last >> 8 && page < 256; page++)
            n->page[page] = (uint8_t)(on ? n->page[page] | PAGE_WATCHED : n->page[page] & ~PAGE_WATCHED);
    n->watching = on && s->watch_count;
}

void stops_set(struct node *n, const uint32_t *at, unsigned at_count, const struct watch *watch, unsigned watch_count)
{
    if (!n->stops && !at_count && !watch_count)
        return;
    if (!n->stops)
        n->stops = calloc(1, sizeof *n->stops);
    struct stops *s = n->stops;
    if (!s)
        abort();
    mark(n, false);
    if (at_count > s->at_room) {
        s->at = realloc(s->at, at_count * sizeof *s->at);
        if (!s->at)
            abort();
        s->at_room = at_count;
    }
    if (at_count)
        memcpy(s->at, at, at_count * sizeof *at);
    s->at_count = at_count;
    s->watch_count = watch_count < STOPS_WATCHES ? watch_count : STOPS_WATCHES;
    if (watch_count)
        memcpy(s->watch, watch, s->watch_count * sizeof *watch);
    s->registers = false;
    for (unsigned i = 0; i < s->watch_count; i++)
        s->registers |= s->watch[i].first < n->machine->chip->ram_start;
    s->pass = UINT64_MAX;
    s->hit.met = false;
    mark(n, true);
}

bool stops_has(const struct node *n, uint32_t address)
{
    for (unsigned i = 0; n->stops && i < n->stops->at_count; i++)
        if (n->stops->at[i] == address)
            return true;
    return false;
}

void stops_free(struct node *n)
{
    if (n->stops)
        free(n->stops->at);
    free(n->stops);
    n->stops = NULL;
}

void stops_accessed(struct node *n, uint32_t address, enum watch_kind kind, uint64_t before)
{
    struct stops *s = n->stops;
    if (!s || s->hit.met || s->blind)
        return;
    for (unsigned i = 0; i < s->watch_count; i++) {
        const struct watch *w = &s->watch[i];
        if (address < w->first || address > w->last || !(w->kinds & kind))
            continue;
        s->hit = (struct watch_hit){.met = true, .kind = (uint8_t)kind, .address = (uint16_t)address, .before = before};
        n->stopped = true;
        n->cut = true;
        return;
    }
}
