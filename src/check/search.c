#include "check/search.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

struct search {
    const struct search_options *o;
    atomic_uint_fast64_t next, best; /* the walk to be taken next; the lowest that failed, UINT64_MAX: none */
    atomic_uint_fast64_t walks, nanoseconds, asked;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    unsigned running; /* workers */
    struct search_result *result;
};

struct worker {
    struct search *search;
    struct check_subject subject;
    pthread_t thread;
    bool started;
};

uint64_t search_seed(const struct search_options *o, uint64_t walk)
{
    return (o->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ walk * UINT64_C(0xd1342543de82ef95);
}

/* ---- one walk ---- */

static void search_delays(const struct search_options *o, const struct network *n, uint64_t walk, struct trace *t)
{
    uint64_t variant = walk % SEARCH_VARIANTS;
    if (variant)
        walk_draw_delays(n, &o->weights, search_seed(o, UINT64_MAX - variant), t);
}

static void search_report(struct search *s, uint64_t walk, const struct violation *v, const struct trace *t)
{
    pthread_mutex_lock(&s->lock);
    if (walk < atomic_load(&s->best)) {
        atomic_store(&s->best, walk);
        s->result->found = true;
        s->result->walk = walk;
        s->result->violation = *v;
        trace_copy(&s->result->trace, t->list, t->count);
    }
    pthread_mutex_unlock(&s->lock);
}

/* In stretches, so that a walk that cannot be the result any more ends soon. */
static struct violation search_run_walk(struct search *s, struct world *w, const struct walk *walk, uint64_t number)
{
    enum { STRETCH = 1000000000 };
    const struct search_options *o = s->o;
    struct violation v = {VIOLATION_NONE, 0, 0, 0, 0};
    for (uint64_t at = o->steady; at < o->steady + o->length && v.kind == VIOLATION_NONE;) {
        if (atomic_load(&s->stop) || number > atomic_load(&s->best))
            break;
        uint64_t left = o->steady + o->length - at, to = at + (left < STRETCH ? left : STRETCH);
        v = world_run(w, walk_driver(walk), to);
        atomic_fetch_add(&s->nanoseconds, network_now(world_network(w)) - at);
        at = to;
    }
    return v;
}

static void search_walk(struct search *s, struct world *w, uint64_t number)
{
    const struct search_options *o = s->o;
    struct violation v;
    struct trace delays = {.list = NULL};
    uint64_t seed = search_seed(o, number);
    search_delays(o, world_network(w), number, &delays);
    struct weights weights = weights_mixed(&o->weights, seed);
    struct walk *walk = walk_new(world_network(w), &weights, seed, &delays, o->steady);
    if (world_settle(w, delays.list, delays.count, o->steady, &v))
        v = search_run_walk(s, w, walk, number);
    atomic_fetch_add(&s->asked, walk_asked(walk));
    atomic_fetch_add(&s->walks, 1);
    if (v.kind != VIOLATION_NONE)
        search_report(s, number, &v, walk_trace(walk));
    walk_free(walk);
    trace_free(&delays);
}

struct violation search_replay(struct world *w, const struct search_options *o, const struct trace *t, uint64_t until,
                               struct trace *taken)
{
    struct violation v;
    struct walk *walk = walk_new(world_network(w), &o->weights, 0, t, NEVER);
    if (world_settle(w, t->list, t->count, o->steady, &v))
        v = world_run(w, walk_driver(walk), until);
    if (taken)
        trace_copy(taken, walk_trace(walk)->list, walk_trace(walk)->count);
    walk_free(walk);
    return v;
}

/* ---- workers ---- */

static void *search_work(void *context)
{
    struct worker *me = context;
    struct search *s = me->search;
    struct world *w = world_new(&me->subject);
    for (;;) {
        uint64_t number = atomic_fetch_add(&s->next, 1);
        if (number >= s->o->walks || number > atomic_load(&s->best) || atomic_load(&s->stop))
            break;
        search_walk(s, w, number);
    }
    world_free(w);
    pthread_mutex_lock(&s->lock);
    s->running--;
    pthread_cond_signal(&s->ended);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static struct search_progress search_progress_of(const struct search *s)
{
    return (struct search_progress){atomic_load(&s->walks), atomic_load(&s->nanoseconds), atomic_load(&s->asked)};
}

/* The caller's thread: asks about ten times a second whether to go on. */
static void search_wait(struct search *s, search_stop *stop, void *context)
{
    enum { PAUSE = 100000000 };
    pthread_mutex_lock(&s->lock);
    while (s->running) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PAUSE;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&s->ended, &s->lock, &until) != ETIMEDOUT || !stop)
            continue;
        struct search_progress p = search_progress_of(s);
        pthread_mutex_unlock(&s->lock);
        if (stop(context, &p))
            atomic_store(&s->stop, true);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

static bool search_make_subjects(struct worker *workers, unsigned count, const struct subjects *s,
                                 struct motet_error *e)
{
    for (unsigned i = 0; i < count; i++) {
        if (s->make(s->context, &workers[i].subject, e))
            continue;
        while (i-- > 0)
            s->release(s->context, &workers[i].subject);
        return false;
    }
    return true;
}

/* Threads that cannot be had are done without; where there is none at all, the caller's does the work. */
static void search_start(struct search *s, struct worker *workers)
{
    unsigned started = 0;
    for (unsigned i = 0; i < s->o->workers; i++) {
        workers[i].search = s;
        workers[i].started = pthread_create(&workers[i].thread, NULL, search_work, &workers[i]) == 0;
        started += workers[i].started;
    }
    pthread_mutex_lock(&s->lock);
    s->running -= s->o->workers - started - !started;
    pthread_mutex_unlock(&s->lock);
    if (!started)
        search_work(&workers[0]);
}

bool search_run(const struct search_options *o, const struct subjects *subjects, search_stop *stop, void *context,
                struct search_result *r, struct motet_error *e)
{
    struct search s = {.o = o, .running = o->workers, .result = r};
    struct worker *workers = memory_array(o->workers, sizeof *workers);
    *r = (struct search_result){.found = false};
    if (!search_make_subjects(workers, o->workers, subjects, e)) {
        free(workers);
        return false;
    }
    atomic_store(&s.best, UINT64_MAX);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.ended, NULL);
    search_start(&s, workers);
    search_wait(&s, stop, context);
    for (unsigned i = 0; i < o->workers; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        subjects->release(subjects->context, &workers[i].subject);
    }
    r->done = search_progress_of(&s);
    r->stopped = atomic_load(&s.stop);
    pthread_cond_destroy(&s.ended);
    pthread_mutex_destroy(&s.lock);
    free(workers);
    return true;
}

void search_result_free(struct search_result *r)
{
    trace_free(&r->trace);
}
