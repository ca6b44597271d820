#include "node/taps.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "node/machine.h"

struct taps *taps_of(struct node *n)
{
    if (!n->taps) {
        struct taps *t = n->taps = memory_new(sizeof *t);
        t->mark_count = n->machine->code_size / 2;
        t->marks = memory_new(t->mark_count + 1);
        t->watched = memory_new(n->machine->slot_count / 8 + 1);
        t->register_names = memory_array(n->machine->register_size, sizeof *t->register_names);
        t->pass = UINT64_MAX;
        t->swept = true;
    }
    return n->taps;
}

void taps_restored(struct node *n)
{
    n->pausing = false;
    if (!n->taps)
        return;
    n->taps->nested_count = 0;
    if (n->taps->pass != UINT64_MAX) {
        n->taps->pass = UINT64_MAX;
        marks_renew(n, 1, 0); /* all as they are, but nothing is passed over */
    }
    if (n->taps->alarms.count)
        alarms_renew(n);
}

/* ---- lists ---- */

static void list_add(struct tap_list *l, struct motet_tap *t)
{
    l->items = memory_grow(l->items, &l->room, l->count, sizeof(struct motet_tap *));
    l->items[l->count++] = t;
}

static void bucket_add(struct taps *t, struct motet_tap *tap)
{
    unsigned i = tap->first / 2 % TAP_BUCKETS;
    struct motet_tap **end = t->ends[i] ? t->ends[i] : &t->buckets[i];
    *end = tap;
    t->ends[i] = &tap->next;
    t->single_count++;
}

static bool is_single(const struct motet_tap *t)
{
    return t->kind == TAP_PROBE && t->first / 2 == t->last / 2;
}

static struct tap_list *list_of(struct taps *t, const struct motet_tap *tap)
{
    switch (tap->kind) {
    case TAP_PROBE: return &t->ranges;
    case TAP_WATCH: return &t->watches;
    case TAP_ALARM: return &t->alarms;
    case TAP_HOOK: return &t->hooks;
    case TAP_GROUP: break;
    }
    return &t->groups;
}

/* What a tap leaves in the node, after it has come or gone. */
static void renew(struct node *n, const struct motet_tap *t)
{
    switch (t->kind) {
    case TAP_PROBE: marks_renew(n, t->first, t->last); break;
    case TAP_WATCH: watches_renew(n); break;
    case TAP_ALARM: alarms_renew(n); break;
    case TAP_HOOK: hooks_renew(n); break;
    case TAP_GROUP: break;
    }
    n->cut = true;
}

static struct motet_tap *taps_add(struct node *n, struct motet_tap like)
{
    struct taps *taps = taps_of(n);
    struct motet_tap *t = memory_bytes(sizeof *t);
    *t = like;
    t->node = n;
    t->order = taps->order++;
    if (is_single(t)) {
        bucket_add(taps, t);
    } else {
        list_add(list_of(taps, t), t);
    }
    renew(n, t);
    return t;
}

struct motet_tap *tap_probe(struct node *n, uint32_t first, uint32_t last, unsigned when, motet_probed *f,
                            void *context)
{
    return taps_add(n, (struct motet_tap){.kind = TAP_PROBE,
                                          .first = first & ~1u,
                                          .last = last,
                                          .when = (uint8_t)when,
                                          .probed = f,
                                          .context = context});
}

struct motet_tap *tap_watch(struct node *n, uint32_t first, uint32_t last, unsigned when, motet_watched *f,
                            void *context)
{
    return taps_add(
        n,
        (struct motet_tap){
            .kind = TAP_WATCH, .first = first, .last = last, .when = (uint8_t)when, .watched = f, .context = context});
}

struct motet_tap *tap_alarm(struct node *n, enum motet_clock clock, uint64_t at, uint64_t period, motet_alarmed *f,
                            void *context)
{
    return taps_add(
        n,
        (struct motet_tap){
            .kind = TAP_ALARM, .clock = (uint8_t)clock, .due = at, .period = period, .alarmed = f, .context = context});
}

struct motet_tap *tap_hook(struct node *n, uint32_t what, motet_hooked *f, void *context)
{
    return taps_add(n, (struct motet_tap){.kind = TAP_HOOK, .what = what, .hooked = f, .context = context});
}

struct motet_tap *tap_group(struct node *n, void (*release)(void *context), void *context)
{
    return taps_add(n, (struct motet_tap){.kind = TAP_GROUP, .release = release, .context = context});
}

/* ---- going ---- */

static void taps_end(struct motet_tap *t)
{
    if (t->kind == TAP_GROUP)
        t->release(t->context);
    free(t);
}

static bool sweep_list(struct tap_list *l)
{
    for (unsigned i = 0; i < l->count; i++)
        if (l->items[i]->dead) {
            struct motet_tap *t = l->items[i];
            if (t->kind == TAP_WATCH && t->node->taps)
                watches_forget(t->node->taps);
            memmove(l->items + i, l->items + i + 1, (--l->count - i) * sizeof(struct motet_tap *));
            taps_end(t);
            return true;
        }
    return false;
}

static bool sweep_buckets(struct taps *t)
{
    bool found = false;
    for (unsigned i = 0; t->single_count && i < TAP_BUCKETS; i++) {
        struct motet_tap **at = &t->buckets[i];
        while (*at) {
            struct motet_tap *tap = *at;
            if (!tap->dead) {
                at = &tap->next;
                continue;
            }
            *at = tap->next;
            t->single_count--;
            taps_end(tap);
            found = true;
        }
        t->ends[i] = at;
    }
    return found;
}

/* Ending a group makes others die, so that one after the other is looked for. */
static void sweep(struct taps *t)
{
    t->depth++;
    do
        t->swept = true;
    while (sweep_list(&t->groups) || sweep_list(&t->ranges) || sweep_list(&t->watches) || sweep_list(&t->alarms) ||
           sweep_list(&t->hooks) || sweep_buckets(t) || !t->swept);
    t->depth--;
}

void taps_enter(struct taps *t)
{
    t->depth++;
}

void taps_leave(struct taps *t)
{
    if (--t->depth == 0 && !t->swept)
        sweep(t);
}

void tap_remove(struct motet_tap *t)
{
    if (!t || t->dead)
        return;
    struct node *n = t->node;
    t->dead = true;
    n->taps->swept = false;
    renew(n, t);
    if (n->taps->depth == 0)
        sweep(n->taps);
}

static void kill_list(const struct tap_list *l)
{
    for (unsigned i = 0; i < l->count; i++)
        l->items[i]->dead = true;
}

void taps_free(struct node *n)
{
    struct taps *t = n->taps;
    if (!t)
        return;
    n->ending = true;
    t->depth++; /* releases of groups remove their members */
    struct tap_list *lists[] = {&t->groups, &t->ranges, &t->watches, &t->alarms, &t->hooks};
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        kill_list(lists[i]);
    for (unsigned i = 0; i < TAP_BUCKETS; i++)
        for (struct motet_tap *tap = t->buckets[i]; tap; tap = tap->next)
            tap->dead = true;
    sweep(t);
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->items);
    free(t->marks);
    free(t->watched);
    for (uint32_t i = 0; t->register_names && i < n->machine->register_size; i++)
        free(t->register_names[i]);
    free(t->register_names);
    watches_forget(t);
    radio_events_free(t);
    free(t);
    n->taps = NULL;
}
