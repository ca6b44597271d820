#include "node/stops.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/node.h"
#include "node/taps.h"

static bool is_trap(const struct stops *s, uint32_t address)
{
    if (!s->traps)
        return false;
    return address == s->moving_trap || (address < s->trap_space && s->traps[address / 16] >> (address / 2 % 8) & 1);
}

static uint32_t *stops_copy(const uint32_t *at, unsigned count)
{
    uint32_t *to = memory_array(count, sizeof *to);
    if (count)
        memcpy(to, at, count * sizeof *to);
    return to;
}

static void stops_marks_of(struct node *n, const uint32_t *at, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        marks_renew(n, at[i], at[i]);
}

static struct stops *stops_of(struct node *n)
{
    if (n->stops)
        return n->stops;
    n->stops = memory_new(sizeof *n->stops);
    n->stops->moving_trap = UINT32_MAX;
    n->stops->trap_pass = UINT64_MAX;
    n->stops->trap_space = n->machine->log ? n->machine->code_size : 0; /* only a replay has traps */
    n->stops->traps = n->machine->log ? memory_array(n->stops->trap_space / 16 + 1, 1) : NULL;
    return n->stops;
}

void stops_set(struct node *n, const uint32_t *at, unsigned at_count, const struct watch *watch, unsigned watch_count)
{
    if (!n->stops && !at_count && !watch_count)
        return;
    struct stops *s = stops_of(n);
    unsigned gone_count = s->at_count;
    uint32_t *gone = stops_copy(s->at, gone_count);
    if (at_count > s->at_room) {
        s->at = memory_resize(s->at, at_count, sizeof *s->at);
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
        s->registers |= map_has_register(n->machine, s->watch[i].first, s->watch[i].last);
    s->pass = UINT64_MAX;
    s->hit.met = false;
    watches_renew(n); /* before the marks on code, which lie in what it may decode anew */
    stops_marks_of(n, gone, gone_count);
    stops_marks_of(n, s->at, s->at_count);
    free(gone);
}

bool stops_has(const struct node *n, uint32_t address)
{
    for (unsigned i = 0; n->stops && i < n->stops->at_count; i++)
        if (n->stops->at[i] == address)
            return true;
    return false;
}

bool stops_marks(const struct node *n, uint32_t address)
{
    return n->stops && (stops_has(n, address) || is_trap(n->stops, address));
}

void stops_free(struct node *n)
{
    if (n->stops) {
        free(n->stops->at);
        free(n->stops->traps);
        if (n->stops->trial)
            node_free(n->stops->trial);
    }
    free(n->stops);
    n->stops = NULL;
}

void stops_trap(struct node *n, uint32_t address)
{
    struct stops *s = stops_of(n);
    if (address >= s->trap_space)
        return;
    s->traps[address / 16] |= (uint8_t)(1 << address / 2 % 8);
    taps_of(n);
    marks_renew(n, address, address);
}

void stops_move_trap(struct node *n, uint32_t address)
{
    struct stops *s = stops_of(n);
    uint32_t old = s->moving_trap;
    s->moving_trap = address;
    taps_of(n);
    if (old != UINT32_MAX)
        marks_renew(n, old, old);
    if (address != UINT32_MAX)
        marks_renew(n, address, address);
}

bool stops_due(const struct node *n)
{
    const struct stops *s = n->stops;
    return n->state->sleeping ||
           (s && n->state->instructions != s->trap_pass && is_trap(s, n->machine->chip->isa->pc(n)));
}

bool stops_meet(struct node *n, uint32_t address, uint64_t count)
{
    const struct stops *s = n->stops;
    if (count != s->trap_pass && is_trap(s, address))
        return true;
    if (s->blind || count == s->pass || (s->traps && !stops_has(n, address)))
        return false;
    return n->stopped = true;
}

void stops_accessed(struct node *n, uint32_t address, enum watch_kind kind, uint64_t before)
{
    struct stops *s = n->stops;
    if (!s || s->hit.met || s->blind)
        return;
    for (unsigned i = 0; i < s->watch_count; i++) {
        const struct watch *w = &s->watch[i];
        if (!(w->kinds & kind) || !map_reaches(n->machine, address, 1, w->first, w->last))
            continue;
        s->hit = (struct watch_hit){.met = true, .kind = (uint8_t)kind, .address = address, .before = before};
        n->stopped = true;
        n->cut = true;
        return;
    }
}
