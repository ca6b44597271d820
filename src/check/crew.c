#include "check/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"

struct crew {
    const struct crew_job *job;
    unsigned workers;
    atomic_uint_fast64_t next, best; /* the item to be taken next; the lowest that failed, UINT64_MAX: none */
    atomic_uint_fast64_t items, nanoseconds, asked;
    atomic_bool stop;
    uint64_t open; /* the lowest item that was not completed, UINT64_MAX: none */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    unsigned running; /* workers */
    struct search_result *result;
};

struct worker {
    struct crew *crew;
    struct check_subject subject;
    pthread_t thread;
    bool started;
};

bool crew_goes_on(const struct crew *c, uint64_t number)
{
    return !atomic_load(&c->stop) && number <= atomic_load(&c->best);
}

void crew_add(struct crew *c, uint64_t nanoseconds, uint64_t asked)
{
    atomic_fetch_add(&c->nanoseconds, nanoseconds);
    atomic_fetch_add(&c->asked, asked);
}

/* ---- workers ---- */

static void crew_report(struct crew *c, uint64_t number, const struct violation *v, const struct trace *t)
{
    pthread_mutex_lock(&c->lock);
    if (number < atomic_load(&c->best)) {
        atomic_store(&c->best, number);
        c->result->found = true;
        c->result->item = number;
        c->result->violation = *v;
        trace_copy(&c->result->trace, t->list, t->count);
    }
    pthread_mutex_unlock(&c->lock);
}

/* An item that ends after the search was stopped may have been given up on the way. */
static void crew_completed(struct crew *c, uint64_t number)
{
    pthread_mutex_lock(&c->lock);
    if (!atomic_load(&c->stop))
        atomic_fetch_add(&c->items, 1);
    else if (number < c->open)
        c->open = number;
    pthread_mutex_unlock(&c->lock);
}

static void crew_work_in(struct crew *c, struct world *w)
{
    for (;;) {
        uint64_t number = atomic_fetch_add(&c->next, 1);
        if (number >= c->job->count)
            break;
        if (!crew_goes_on(c, number)) {
            crew_completed(c, number);
            break;
        }
        struct trace t = {.list = NULL};
        struct violation v = c->job->one(c->job->context, c, w, number, &t);
        if (v.kind != VIOLATION_NONE)
            crew_report(c, number, &v, &t);
        crew_completed(c, number);
        trace_free(&t);
    }
}

static void *crew_work(void *context)
{
    struct worker *me = context;
    struct crew *c = me->crew;
    struct world *w = world_new(&me->subject);
    crew_work_in(c, w);
    world_free(w);
    pthread_mutex_lock(&c->lock);
    c->running--;
    pthread_cond_signal(&c->ended);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static struct search_progress crew_progress(const struct crew *c)
{
    return (struct search_progress){atomic_load(&c->items), atomic_load(&c->nanoseconds), atomic_load(&c->asked)};
}

/* The caller's thread: asks about ten times a second whether to go on. */
static void crew_wait(struct crew *c, search_stop *stop, void *context)
{
    enum { PAUSE = 100000000 };
    pthread_mutex_lock(&c->lock);
    while (c->running) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PAUSE;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&c->ended, &c->lock, &until) != ETIMEDOUT || !stop)
            continue;
        struct search_progress p = crew_progress(c);
        pthread_mutex_unlock(&c->lock);
        if (stop(context, &p))
            atomic_store(&c->stop, true);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

/* ---- life ---- */

static bool crew_make_subjects(struct worker *workers, unsigned count, const struct subjects *s, struct motet_error *e)
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
static void crew_start(struct crew *c, struct worker *workers)
{
    unsigned started = 0;
    for (unsigned i = 0; i < c->workers; i++) {
        workers[i].crew = c;
        workers[i].started = pthread_create(&workers[i].thread, NULL, crew_work, &workers[i]) == 0;
        started += workers[i].started;
    }
    pthread_mutex_lock(&c->lock);
    c->running -= c->workers - started - !started;
    pthread_mutex_unlock(&c->lock);
    if (!started)
        crew_work(&workers[0]);
}

static void crew_end(struct crew *c, struct worker *workers, const struct subjects *subjects)
{
    for (unsigned i = 0; i < c->workers; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        subjects->release(subjects->context, &workers[i].subject);
    }
    c->result->done = crew_progress(c);
    c->result->stopped = atomic_load(&c->stop);
    c->result->next = c->result->found ? c->result->item : c->open < c->job->count ? c->open : c->job->count;
    pthread_cond_destroy(&c->ended);
    pthread_mutex_destroy(&c->lock);
}

bool crew_run(const struct crew_job *j, unsigned count, const struct subjects *subjects, search_stop *stop,
              void *context, struct search_result *r, struct motet_error *e)
{
    struct crew c = {.job = j, .workers = count, .running = count, .open = UINT64_MAX, .result = r};
    struct worker *workers = memory_array(count, sizeof *workers);
    *r = (struct search_result){.found = false};
    bool good = crew_make_subjects(workers, count, subjects, e);
    if (good) {
        atomic_store(&c.best, UINT64_MAX);
        atomic_store(&c.next, j->first);
        pthread_mutex_init(&c.lock, NULL);
        pthread_cond_init(&c.ended, NULL);
        crew_start(&c, workers);
        crew_wait(&c, stop, context);
        crew_end(&c, workers, subjects);
    }
    free(workers);
    return good;
}

void search_result_free(struct search_result *r)
{
    trace_free(&r->trace);
}
