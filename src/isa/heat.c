#include "isa/heat.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "isa/slice.h"
#include "node/taps.h"

enum {
    HEAT_BURSTS = 32,       /* before a translation, */
    HEAT_FEW_BURSTS = 4,    /* where it is to come early */
    HEAT_MADE = 8,          /* translations of a machine */
    HEAT_TRACE = 1 << 16,   /* addresses kept */
    HEAT_WORTH = 24,        /* instructions that make up for entering translated code */
    HEAT_USELESS = 1 << 10, /* times that it was not worth it, beyond those that others made up for */
    HEAT_CREDIT = 1 << 20,  /* of these at most: thousands of nodes may come to the end of a window there at once */
};

/* Where translated code begins. Never freed before the machine: another thread may be about to enter it. */
struct heat_entry {
    heat_function *run;
    uint32_t number;
    atomic_int useless;
    struct heat_entry *next;
};

struct heat {
    struct machine *machine;
    struct heat_translator translator;
    _Atomic int64_t spacing; /* instructions of a node between two bursts; 0: there is no more to be translated */
    pthread_mutex_t lock;    /* of what follows */
    unsigned bursts, wanted, made_count;
    uint32_t *trace;
    size_t traced;
    bool *translated; /* by address */
    struct heat_made made[HEAT_MADE];
    struct heat_entry *all;
    pthread_t worker;                /* translates, or has done so and is to be joined, */
    bool started, working;           /* if it was started; and it is not done */
    struct heat_entry *_Atomic at[]; /* by address */
};

void heat_begin(struct machine *m, const struct heat_translator *t, uint64_t first)
{
    struct heat_code code;
    if (!m->chip->isa->hot || m->log)
        return;
    m->chip->isa->hot(m, &code);
    struct heat *h = memory_with_array(sizeof *h, code.count, sizeof h->at[0]);
    unsigned wanted = first / HEAT_BURSTS > HEAT_BURST ? HEAT_BURSTS : HEAT_FEW_BURSTS;
    h->machine = m;
    h->translated = memory_array(code.count, sizeof *h->translated);
    h->translator = *t;
    h->wanted = wanted;
    h->spacing = (int64_t)(first / wanted) + 1;
    pthread_mutex_init(&h->lock, NULL);
    m->heat = h;
}

void heat_free(struct heat *h)
{
    if (!h)
        return;
    if (h->started)
        pthread_join(h->worker, NULL);
    for (unsigned i = 0; i < h->made_count; i++)
        h->made[i].free(&h->made[i]);
    while (h->all) {
        struct heat_entry *e = h->all;
        h->all = e->next;
        free(e);
    }
    pthread_mutex_destroy(&h->lock);
    free(h->trace);
    free(h->translated);
    free(h);
}

/* ---- bursts ---- */

static void heat_publish(struct heat *h, const struct heat_made *made)
{
    for (uint32_t i = 0; i < made->entry_count; i++) {
        struct heat_entry *e = memory_new(sizeof *e);
        e->run = made->run;
        e->number = i;
        e->next = h->all;
        h->all = e;
        atomic_store(&h->at[made->entries[i]], e);
        h->machine->chip->isa->mark_hot(h->machine, made->entries[i], true);
    }
}

/* With the lock: whether the last bursts met much that is not translated, one in 32 at least. */
static bool heat_is_new(const struct heat *h)
{
    size_t count = 0, all = (size_t)h->bursts * (HEAT_BURST + 1);
    if (!h->made_count)
        return true;
    for (size_t i = h->traced > all ? h->traced - all : 0; i < h->traced; i++)
        count += h->trace[i] != HEAT_LOOP && !h->translated[h->trace[i]];
    return 32 * count > all;
}

static bool heat_make(const struct heat *h, const uint32_t *trace, size_t count, struct heat_made *made)
{
    struct heat_code code;
    struct motet_error ignored;
    h->machine->chip->isa->hot(h->machine, &code);
    return h->translator.translate(&code, trace, count, made, &ignored);
}

/* With the lock: there is a translation, or none (NULL). */
static void heat_take(struct heat *h, const struct heat_made *made)
{
    if (!made) {
        h->spacing = 0; /* there is no translator, or no end of new code: the loop it is */
        return;
    }
    heat_publish(h, made);
    for (uint32_t i = 0; i < made->step_count; i++)
        h->translated[made->steps[i]] = true;
    free(made->entries);
    free(made->steps);
    h->made[h->made_count++] = *made;
}

/* What a worker is given, and frees. */
struct heat_work {
    struct heat *heat;
    size_t count;
    uint32_t trace[];
};

static void *heat_worker(void *context)
{
    struct heat_work *w = context;
    struct heat *h = w->heat;
    struct heat_made made = {0};
    bool good = heat_make(h, w->trace, w->count, &made);
    free(w);
    pthread_mutex_lock(&h->lock);
    heat_take(h, good ? &made : NULL);
    h->working = false;
    pthread_mutex_unlock(&h->lock);
    return NULL;
}

/* With the lock: translates in a thread. False if the system gives none. */
static bool heat_start(struct heat *h)
{
    struct heat_work *w = memory_with_array(sizeof *w, h->traced, sizeof w->trace[0]);
    w->heat = h;
    w->count = h->traced;
    memcpy(w->trace, h->trace, h->traced * sizeof *h->trace);
    if (h->started)
        pthread_join(h->worker, NULL); /* it is done, but for its last instructions */
    h->started = h->working = pthread_create(&h->worker, NULL, heat_worker, w) == 0;
    if (!h->started)
        free(w);
    return h->started;
}

/* With the lock. Each translation contains the last one, as long as there is room. */
static bool heat_translate_all(struct heat *h)
{
    struct heat_made made = {0};
    struct motet_error ignored;
    bool good = h->made_count < HEAT_MADE && h->translator.load(&ignored);
    if (good && h->translator.aside && heat_start(h))
        return true;
    good = good && heat_make(h, h->trace, h->traced, &made);
    heat_take(h, good ? &made : NULL);
    return good;
}

static void heat_append(struct heat *h, const uint32_t *trace, size_t count)
{
    if (h->traced + count + 1 > HEAT_TRACE) { /* the older half is forgotten */
        memmove(h->trace, h->trace + h->traced / 2, (h->traced - h->traced / 2) * sizeof *h->trace);
        h->traced -= h->traced / 2;
    }
    h->trace = memory_resize(h->trace, h->traced + count + 1, sizeof *h->trace);
    memcpy(h->trace + h->traced, trace, count * sizeof *trace);
    h->trace[h->traced + count] = HEAT_LOOP;
    h->traced += count + 1;
}

bool heat_learn(struct heat *h, const uint32_t *trace, size_t count)
{
    pthread_mutex_lock(&h->lock);
    heat_append(h, trace, count);
    bool good = heat_translate_all(h);
    pthread_mutex_unlock(&h->lock);
    return good;
}

static void heat_collect(struct heat *h, const uint32_t *burst, size_t count)
{
    if (pthread_mutex_trylock(&h->lock) != 0)
        return; /* one is being translated */
    if (!h->working)
        heat_append(h, burst, count);
    if (!h->working && ++h->bursts >= h->wanted && h->spacing) {
        bool wanted = heat_is_new(h);
        h->bursts = 0;
        h->spacing *= 2;
        if (wanted)
            heat_translate_all(h);
    }
    pthread_mutex_unlock(&h->lock);
}

void heat_note(struct node *n, uint32_t at)
{
    n->heat.burst[n->heat.noted++] = at;
    if (n->heat.noted < HEAT_BURST)
        return;
    heat_collect(n->machine->heat, n->heat.burst, n->heat.noted);
    free(n->heat.burst);
    n->heat.burst = NULL;
    int64_t spacing = n->machine->heat->spacing;
    n->heat.left = spacing ? spacing : INT64_MAX;
}

/* The node's first time, or time for a burst: node.c lets it go one instruction at a time as long as there is one. */
void heat_due(struct node *n)
{
    int64_t spacing = n->machine->heat->spacing;
    if (!n->heat.begun) {
        n->heat.begun = true;
        n->heat.left = spacing ? spacing : INT64_MAX;
        return;
    }
    n->heat.left = INT64_MAX;
    if (n->heat.burst || !spacing)
        return;
    n->heat.burst = memory_array(HEAT_BURST, sizeof *n->heat.burst);
    n->heat.noted = 0;
}

/* ---- translated code ---- */

/* A watch may make this node leave translated code at every other access, which says nothing of others. */
static void heat_watched(struct node *n, uint64_t done)
{
    n->heat.useless += done < HEAT_WORTH ? 1 : n->heat.useless > 0 ? -1 : 0;
    if (n->heat.useless <= HEAT_USELESS || n->heat.cold)
        return;
    n->heat.cold = true;
    n->cut = true;
    code_choose(n);
}

/* How many times that it is not worth it so many instructions make up for. */
static int heat_gain(uint64_t done)
{
    return done < HEAT_WORTH * HEAT_USELESS ? (int)(done / HEAT_WORTH) : HEAT_USELESS;
}

uint32_t heat_enter(struct node *n, uint32_t at, void *live, void *registers)
{
    struct heat *h = n->machine->heat;
    struct heat_entry *e = atomic_load_explicit(&h->at[at], memory_order_acquire);
    int64_t before = *(const int64_t *)live;
    uint32_t to = e->run(n, live, registers, e->number);
    assert(*(const int64_t *)live > 0); /* or a slice has ended within it */
    uint64_t done = (uint64_t)(slice_count(*(const int64_t *)live) - slice_count(before));
    n->heat.passed += done;
    if (n->watching) {
        heat_watched(n, done);
        return to;
    }
    int useless = atomic_load_explicit(&e->useless, memory_order_relaxed);
    if (done < HEAT_WORTH) {
        atomic_store_explicit(&e->useless, useless + 1, memory_order_relaxed);
        if (useless > HEAT_USELESS)
            h->machine->chip->isa->mark_hot(h->machine, at, false);
    } else if (useless > -HEAT_CREDIT) {
        atomic_store_explicit(&e->useless, useless - heat_gain(done), memory_order_relaxed);
    }
    return to;
}
