#include "check/sites.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "node/holds.h"
#include "node/machine.h"
#include "node/taps.h"

enum { SITES_LINES = 64, SITES_NESTED = 8, SITES_NONE = SITES_LINES };

/* An instruction that touches a variable, outside of a handler or inside of the handler of a line. */
struct touch {
    uint32_t pc, address;
    uint8_t context; /* line, or SITES_NONE */
    bool write;
    bool open; /* the CPU accepted interrupts */
};

struct touches {
    struct touch *list;
    size_t count, room;
    const struct node *node;
    uint8_t nested[SITES_NESTED]; /* handlers under way */
    unsigned depth;
    struct motet_tap *watch, *hook;
};

struct sites {
    struct {
        uint32_t id;
        struct {
            uint32_t *list;
            size_t count, room;
        } lines[SITES_LINES];
    } * nodes;
    uint32_t count;
};

/* ---- watching ---- */

static int sites_by_place(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct touch));
}

/* The same again and again: kept once. */
static void sites_compact(struct touches *t)
{
    size_t kept = 0;
    if (!t->count)
        return;
    qsort(t->list, t->count, sizeof *t->list, sites_by_place);
    for (size_t i = 1; i < t->count; i++)
        if (sites_by_place(&t->list[i], &t->list[kept]) != 0)
            t->list[++kept] = t->list[i];
    t->count = kept + 1;
}

static void sites_touched(void *context, const motet_node *handle, const struct motet_access *a)
{
    struct touches *t = context;
    struct touch one;
    (void)handle;
    memset(&one, 0, sizeof one); /* compared as bytes */
    one.pc = a->pc;
    one.context = t->depth ? t->nested[(t->depth < SITES_NESTED ? t->depth : SITES_NESTED) - 1] : SITES_NONE;
    one.write = a->write;
    one.open = holds_open(t->node);
    for (unsigned i = 0; i < a->size; i++) {
        one.address = a->address + i;
        if (t->count == t->room && t->count > 1000)
            sites_compact(t);
        t->list = memory_grow(t->list, &t->room, t->count, sizeof *t->list);
        t->list[t->count++] = one;
    }
}

static void sites_interrupt(void *context, const motet_node *handle, const struct motet_happened *h)
{
    struct touches *t = context;
    (void)handle;
    if (h->what == MOTET_ON_RESET) {
        t->depth = 0;
    } else if (h->what == MOTET_ON_INTERRUPT_ENTRY) {
        if (t->depth < SITES_NESTED)
            t->nested[t->depth] = (uint8_t)(h->interrupt.line < SITES_LINES ? h->interrupt.line : SITES_NONE);
        t->depth++;
    } else if (t->depth) {
        t->depth--;
    }
}

static void sites_watch(struct touches *t, struct node *n)
{
    const struct machine *m = n->machine;
    const struct region *ram = m->ram;
    uint32_t last = ram->first + ram->size - 1;
    t->node = n;
    if (m->stack_limit > ram->first && m->stack_limit <= last)
        last = m->stack_limit - 1;
    t->watch = tap_watch(n, ram->first, last, MOTET_READ | MOTET_WRITE | MOTET_AFTER, sites_touched, t);
    t->hook = tap_hook(n, MOTET_ON(INTERRUPT_ENTRY) | MOTET_ON(INTERRUPT_EXIT) | MOTET_ON(RESET), sites_interrupt, t);
}

/* ---- what is shared ---- */

static bool sites_shares(const struct touches *t, const struct touch *one, unsigned line)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct touch *other = &t->list[i];
        if (other->context == line && other->address == one->address && (other->write || one->write))
            return true;
    }
    return false;
}

static void sites_add(struct sites *s, uint32_t node, unsigned line, uint32_t pc)
{
    size_t count = s->nodes[node].lines[line].count;
    uint32_t *list = s->nodes[node].lines[line].list;
    for (size_t i = 0; i < count; i++)
        if (list[i] == pc)
            return;
    list = memory_grow(list, &s->nodes[node].lines[line].room, count, sizeof *list);
    list[count] = pc;
    s->nodes[node].lines[line].list = list;
    s->nodes[node].lines[line].count = count + 1;
}

static int sites_by_address(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void sites_find(struct sites *s, uint32_t node, struct touches *t)
{
    bool handled[SITES_LINES + 1] = {false};
    sites_compact(t);
    for (size_t i = 0; i < t->count; i++)
        handled[t->list[i].context] = true;
    for (unsigned line = 0; line < SITES_LINES; line++) {
        for (size_t i = 0; handled[line] && i < t->count; i++)
            if (t->list[i].context != line && t->list[i].open && sites_shares(t, &t->list[i], line))
                sites_add(s, node, line, t->list[i].pc);
        if (s->nodes[node].lines[line].count)
            qsort(s->nodes[node].lines[line].list, s->nodes[node].lines[line].count, sizeof(uint32_t),
                  sites_by_address);
    }
}

/* ---- life ---- */

struct sites *sites_learn(struct world *w, uint64_t until)
{
    struct network *n = world_network(w);
    struct sites *s = memory_new(sizeof *s);
    s->count = network_count(n);
    s->nodes = memory_array(s->count, sizeof *s->nodes);
    struct touches *touches = memory_array(s->count, sizeof *touches);
    struct violation ignored;
    world_settle(w, NULL, 0, 0, &ignored);
    for (uint32_t i = 0; i < s->count; i++)
        sites_watch(&touches[i], network_node(n, i));
    world_run(w, &(struct driver){.next = NULL}, until);
    for (uint32_t i = 0; i < s->count; i++) {
        tap_remove(touches[i].watch);
        tap_remove(touches[i].hook);
        s->nodes[i].id = network_node(n, i)->id;
        sites_find(s, i, &touches[i]);
        free(touches[i].list);
    }
    free(touches);
    return s;
}

void sites_free(struct sites *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->count; i++)
        for (unsigned line = 0; line < SITES_LINES; line++)
            free(s->nodes[i].lines[line].list);
    free(s->nodes);
    free(s);
}

size_t sites_count(const struct sites *s, uint32_t node, unsigned line)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->nodes[i].id == node)
            return line < SITES_LINES ? s->nodes[i].lines[line].count : 0;
    return 0;
}

bool sites_at(const struct sites *s, uint32_t node, unsigned line, size_t number, uint32_t *address)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->nodes[i].id != node || line >= SITES_LINES || number >= s->nodes[i].lines[line].count)
            continue;
        *address = s->nodes[i].lines[line].list[number];
        return true;
    }
    return false;
}

/* ---- looking out ---- */

struct lookout {
    struct motet_tap **list;
    size_t count, room;
};

/* Once for each address, though several lines may have it. */
static void lookout_add(struct lookout *l, struct node *n, uint32_t *addresses, size_t count)
{
    if (count)
        qsort(addresses, count, sizeof *addresses, sites_by_address);
    for (size_t i = 0; i < count; i++) {
        if (i && addresses[i] == addresses[i - 1])
            continue;
        l->list = memory_grow(l->list, &l->room, l->count, sizeof *l->list);
        l->list[l->count++] = holds_look_out(n, addresses[i]);
    }
}

struct lookout *sites_look_out(const struct sites *s, struct network *n)
{
    struct lookout *l = memory_new(sizeof *l);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t *all = NULL;
        size_t count = 0, room = 0;
        for (unsigned line = 0; line < SITES_LINES; line++)
            for (size_t k = 0; k < s->nodes[i].lines[line].count; k++) {
                all = memory_grow(all, &room, count, sizeof *all);
                all[count++] = s->nodes[i].lines[line].list[k];
            }
        lookout_add(l, network_node(n, i), all, count);
        free(all);
    }
    return l;
}

void lookout_end(struct lookout *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->count; i++)
        tap_remove(l->list[i]);
    free(l->list);
    free(l);
}

/* ---- for several workers ---- */

struct shared_sites {
    pthread_mutex_t lock;
    uint64_t until;
    struct sites *sites;
};

struct shared_sites *shared_sites_new(uint64_t until)
{
    struct shared_sites *s = memory_new(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->until = until;
    return s;
}

void shared_sites_free(struct shared_sites *s)
{
    if (!s)
        return;
    sites_free(s->sites);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

const struct sites *shared_sites_learnt(struct shared_sites *s, struct world *w)
{
    pthread_mutex_lock(&s->lock);
    if (!s->sites)
        s->sites = sites_learn(w, s->until);
    pthread_mutex_unlock(&s->lock);
    return s->sites;
}
