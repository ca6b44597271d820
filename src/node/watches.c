/* Watches: marks on data addresses, and the callbacks for accesses to them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "node/machine.h"
#include "node/stops.h"
#include "node/taps.h"

/* ---- marks ---- */

static void mark_slots(void *context, uint32_t first, uint32_t last)
{
    struct node *n = context;
    uint8_t *watched = n->taps->watched; /* a bit each */
    uint32_t from = first / 8, to = last / 8;
    uint8_t low = (uint8_t)(0xff << (first & 7)), high = (uint8_t)(0xff >> (7 - (last & 7)));
    watched[from] |= from == to ? low & high : low;
    if (from < to) {
        memset(watched + from + 1, 0xff, to - from - 1);
        watched[to] |= high;
    }
    for (uint32_t page = first >> PAGE_BITS; page <= last >> PAGE_BITS; page++)
        n->page[page] |= PAGE_WATCHED;
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
    watches_forget(t);
    t->gap_low = t->gap_end = 0;
    t->gap_sp = UINT32_MAX;
    t->changed = true;
    if (n->watching) {
        memset(t->watched, 0, n->machine->slot_count / 8 + 1);
        for (unsigned i = 0; i <= n->machine->slot_count >> PAGE_BITS; i++)
            n->page[i] &= (uint8_t)~PAGE_WATCHED;
    }
    n->watching = false;
    t->asked = 0;
    t->watches_registers = (n->hooked & MOTET_ON(REGISTER)) != 0;
    for (unsigned i = 0; i < t->watches.count; i++) {
        const struct motet_tap *w = t->watches.items[i];
        if (w->dead)
            continue;
        t->asked |= w->when;
        watches_mark(n, w->first, w->last);
    }
    for (unsigned i = 0; n->stops && i < n->stops->watch_count; i++)
        watches_mark(n, n->stops->watch[i].first, n->stops->watch[i].last);
    const struct isa *isa = n->machine->chip->isa;
    if (registers != t->watches_registers && isa->watch_registers)
        isa->watch_registers(n);
    n->heat.useless = 0;
    n->heat.cold = false;
    code_choose(n);
}

static void narrow(uint32_t first, uint32_t last, uint32_t sp, uint32_t *low, uint32_t *end)
{
    if (last < *low || first >= *end)
        return;
    if (sp < (first & ~1u))
        *end = first & ~1u;
    else
        *low = last < *end ? (last + 2) & ~1u : *end;
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

static void watches_find_gap(const struct node *n, uint32_t sp)
{
    struct taps *t = n->taps;
    uint32_t low = 0, end = UINT32_MAX;
    for (unsigned i = 0; i < t->watches.count; i++)
        if (!t->watches.items[i]->dead)
            narrow_all(n, t->watches.items[i]->first, t->watches.items[i]->last, sp, &low, &end);
    for (unsigned i = 0; n->stops && i < n->stops->watch_count; i++)
        narrow_all(n, n->stops->watch[i].first, n->stops->watch[i].last, sp, &low, &end);
    t->gap_low = low;
    t->gap_end = end;
    t->gap_sp = sp;
}

/* The stack pointer seldom leaves the gap between two watches: each hit asks, and finds it as it was. */
static void watches_narrow_to_gap(const struct node *n, uint32_t sp, uint32_t *low, uint32_t *end)
{
    const struct taps *t = n->taps;
    if (sp != t->gap_sp && (sp < t->gap_low || sp >= t->gap_end))
        watches_find_gap(n, sp);
    *low = t->gap_low > *low ? t->gap_low : *low;
    *end = t->gap_end < *end ? t->gap_end : *end;
}

/* To pages without a mark. */
static void watches_narrow_unmarked(const struct node *n, unsigned mark, uint32_t sp, uint32_t *low, uint32_t *end)
{
    enum { FAR = 64 /* pages, in each direction */ };
    uint32_t at = (sp < *end ? sp : *end - 1) >> PAGE_BITS, first = at + 1, after = at;
    uint32_t lowest = at < FAR ? 0 : at - FAR, highest = ((*end - 1) >> PAGE_BITS) + 1;
    if (highest > at + FAR)
        highest = at + FAR;
    while (first > lowest && !(n->page[first - 1] & mark))
        first--;
    while (after < highest && !(n->page[after] & mark))
        after++;
    *low = first << PAGE_BITS > *low ? first << PAGE_BITS : *low;
    *end = after << PAGE_BITS < *end ? after << PAGE_BITS : *end;
}

void watches_narrow(const struct node *n, uint32_t sp, uint32_t *low, uint32_t *end)
{
    if (n->watching)
        watches_narrow_to_gap(n, sp, low, end);
    if (n->machine->log || n->uses)
        watches_narrow_unmarked(n, PAGE_UNKNOWN | PAGE_FRESH, sp, low, end);
}

/* ---- by page ----
 *
 * A hit looks at the watches of its page of slots (node/map.h) alone, so that thousands of them on one node cost no
 * more than a few. A watch that can be reached on many pages is in a list of its own. Both lists have the order in
 * which the watches came. */

enum { WATCH_WIDE = 64 /* pages */ };

struct watch_table {
    unsigned pages;
    unsigned *first; /* by page: where its watches begin in `of`; one more at the end */
    unsigned wide_count;
    const struct motet_tap **of, **wide;
};

static void watches_free(struct watch_table *t)
{
    free(t->first);
    free(t->of);
    free(t->wide);
    free(t);
}

void watches_forget(struct taps *t)
{
    if (t->table)
        watches_free(t->table);
    t->table = NULL;
}

/* One watch on its way into the table: first its pages are counted, then it is put there. */
struct watches_entry {
    struct watch_table *table;
    const struct motet_tap *watch;
    const struct motet_tap **latest; /* by page: each watch comes once */
    unsigned *count;                 /* by page */
    unsigned pages;                  /* of this watch */
    enum { ENTRY_MEASURED, ENTRY_COUNTED, ENTRY_PUT } how;
};

static void watches_enter(void *context, uint32_t first, uint32_t last)
{
    struct watches_entry *e = context;
    for (unsigned page = first >> PAGE_BITS; page <= last >> PAGE_BITS && page < e->table->pages; page++) {
        e->pages++;
        if (e->how == ENTRY_MEASURED || e->latest[page] == e->watch)
            continue;
        e->latest[page] = e->watch;
        if (e->how == ENTRY_PUT)
            e->table->of[e->table->first[page] + e->count[page]] = e->watch;
        e->count[page]++;
    }
}

/* The lowest address at which an access that reaches the watch begins: one of 32 bits may begin on the page before. */
static uint32_t watches_begin(const struct motet_tap *w)
{
    return w->first < 3 ? 0 : w->first - 3;
}

static bool watches_is_wide(const struct machine *m, struct watch_table *t, const struct motet_tap *w)
{
    struct watches_entry e = {.table = t, .watch = w, .how = ENTRY_MEASURED};
    map_slots(m, watches_begin(w), w->last, watches_enter, &e);
    return e.pages > WATCH_WIDE;
}

static void watches_enter_all(const struct node *n, struct watch_table *table, unsigned *count, bool put)
{
    const struct taps *t = n->taps;
    struct watches_entry e = {.table = table, .count = count, .how = put ? ENTRY_PUT : ENTRY_COUNTED};
    e.latest = memory_array(table->pages, sizeof *e.latest);
    for (unsigned i = 0, wide = 0; i < t->watches.count; i++) {
        e.watch = t->watches.items[i];
        if (!watches_is_wide(n->machine, table, e.watch))
            map_slots(n->machine, watches_begin(e.watch), e.watch->last, watches_enter, &e);
        else if (put)
            table->wide[wide++] = e.watch;
        else
            table->wide_count++;
    }
    free(e.latest);
}

static struct watch_table *watches_table(const struct node *n)
{
    struct taps *t = n->taps;
    if (t->table)
        return t->table;
    struct watch_table *table = t->table = memory_new(sizeof *table);
    table->pages = (n->machine->slot_count >> PAGE_BITS) + 1;
    table->first = memory_array(table->pages + 1, sizeof *table->first);
    unsigned *count = memory_array(table->pages, sizeof *count);
    watches_enter_all(n, table, count, false);
    for (unsigned page = 0; page < table->pages; page++) {
        table->first[page + 1] = table->first[page] + count[page];
        count[page] = 0;
    }
    table->of = memory_array(table->first[table->pages], sizeof *table->of);
    table->wide = memory_array(table->wide_count, sizeof *table->wide);
    watches_enter_all(n, table, count, true);
    free(count);
    return table;
}

/* ---- accesses ---- */

static void watches_offer(struct node *n, const struct motet_tap *w, const struct motet_access *seen, unsigned when)
{
    unsigned kind = seen->write ? MOTET_WRITE : MOTET_READ;
    if (!w->dead && (w->when & kind) && (w->when & when) &&
        map_reaches(n->machine, seen->address, seen->size, w->first, w->last))
        w->watched(w->context, n->handle, seen);
}

/* Looks at the page on which the access begins. A callback may add watches, which are not
 * called for this access, and remove some, which stay in the table until the outermost callback has ended. */
static void watches_call_many(struct node *n, const struct motet_access *a, unsigned when)
{
    struct taps *t = n->taps;
    struct motet_access seen = *a;
    seen.after = when == MOTET_AFTER;
    struct watch_table *table = watches_table(n);
    unsigned page = map_slot(n->machine, a->address) >> PAGE_BITS;
    unsigned i = table->first[page], last = table->first[page + 1];
    unsigned wide = 0, wide_count = table->wide_count;
    t->table = NULL; /* what a callback changes is for the next table */
    bool before = t->changed;
    t->changed = false;
    taps_enter(t);
    while (i < last || wide < wide_count) {
        bool narrow_first = i < last && (wide == wide_count || table->of[i]->order < table->wide[wide]->order);
        watches_offer(n, narrow_first ? table->of[i++] : table->wide[wide++], &seen, when);
    }
    bool changed = t->changed;
    t->changed |= before; /* for the hit in whose callback this one came */
    if (!changed && !t->table) {
        t->table = table;
    } else {
        watches_free(table);
    }
    taps_leave(t);
}

void watches_call(struct node *n, const struct motet_access *a, unsigned when)
{
    struct taps *t = n->taps;
    if (t->watches.count != 1) {
        watches_call_many(n, a, when);
        return;
    }
    struct motet_access seen = *a;
    seen.after = when == MOTET_AFTER;
    taps_enter(t);
    watches_offer(n, t->watches.items[0], &seen, when);
    taps_leave(t);
}

void taps_accessed(struct node *n, const struct motet_access *a)
{
    if (n->watching) {
        for (unsigned i = 0; n->stops && i < a->size; i++)
            stops_accessed(n, a->address + i, a->write ? WATCH_WRITE : WATCH_READ,
                           n->state->instructions - (n->taps->entering && n->state->instructions));
        if (n->taps->asked & MOTET_AFTER)
            watches_call(n, a, MOTET_AFTER);
    }
    if (taps_wanted(n, MOTET_ON(REGISTER)))
        taps_register(n, a);
}
