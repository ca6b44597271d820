#include "check/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "check/shares.h"

/* Items that were given to this process. */
struct share {
    uint64_t first, end, next; /* next: to be taken */
    uint64_t left;             /* to be completed */
};

struct crew {
    const struct crew_job *job;
    unsigned workers;
    atomic_uint_fast64_t best; /* the lowest that failed, UINT64_MAX: none */
    atomic_uint_fast64_t items, nanoseconds, asked;
    atomic_bool stop;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t ended; /* a worker */
    pthread_cond_t given; /* a share, or there will be none */
    struct share *shares; /* by number; a completed one is taken out */
    size_t share_count, share_room;
    bool no_more;     /* shares will come */
    uint64_t open;    /* the lowest item that was not completed, UINT64_MAX: none */
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

/* ---- shares ---- */

unsigned crew_workers(const struct crew *c)
{
    return c->workers;
}

const struct crew_job *crew_job_of(const struct crew *c)
{
    return c->job;
}

struct search_progress crew_progress(const struct crew *c)
{
    return (struct search_progress){atomic_load(&c->items), atomic_load(&c->nanoseconds), atomic_load(&c->asked), -1};
}

uint64_t crew_best(const struct crew *c)
{
    return atomic_load(&c->best);
}

void crew_bound(struct crew *c, uint64_t best)
{
    pthread_mutex_lock(&c->lock);
    if (best < atomic_load(&c->best))
        atomic_store(&c->best, best);
    pthread_mutex_unlock(&c->lock);
}

bool crew_stopped(const struct crew *c)
{
    return atomic_load(&c->stop);
}

void crew_stop(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    atomic_store(&c->stop, true);
    pthread_cond_broadcast(&c->given);
    pthread_mutex_unlock(&c->lock);
}

void crew_give(struct crew *c, uint64_t first, uint64_t end)
{
    pthread_mutex_lock(&c->lock);
    c->shares = memory_grow(c->shares, &c->share_room, c->share_count, sizeof *c->shares);
    size_t at = c->share_count++;
    for (; at && c->shares[at - 1].first > first; at--)
        c->shares[at] = c->shares[at - 1];
    c->shares[at] = (struct share){first, end, first, end - first};
    pthread_cond_broadcast(&c->given);
    pthread_mutex_unlock(&c->lock);
}

uint64_t crew_untaken(struct crew *c)
{
    uint64_t untaken = 0;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->share_count; i++)
        untaken += c->shares[i].end - c->shares[i].next;
    pthread_mutex_unlock(&c->lock);
    return untaken;
}

bool crew_take_done(struct crew *c, uint64_t *first)
{
    bool found = false;
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < c->share_count && !found; i++) {
        if (c->shares[i].left)
            continue;
        found = true;
        *first = c->shares[i].first;
        c->share_count--;
        for (size_t k = i; k < c->share_count; k++)
            c->shares[k] = c->shares[k + 1];
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

void crew_no_more(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    c->no_more = true;
    pthread_cond_broadcast(&c->given);
    pthread_mutex_unlock(&c->lock);
}

bool crew_found(struct crew *c, uint64_t below, struct search_result *r)
{
    *r = (struct search_result){.found = false};
    pthread_mutex_lock(&c->lock);
    if (c->result->found && c->result->item < below) {
        r->found = true;
        r->item = c->result->item;
        r->violation = c->result->violation;
        trace_copy(&r->trace, c->result->trace.list, c->result->trace.count);
    }
    pthread_mutex_unlock(&c->lock);
    return r->found;
}

/* ---- workers ---- */

void crew_report(struct crew *c, uint64_t number, const struct violation *v, const struct trace *t)
{
    pthread_mutex_lock(&c->lock);
    if (number <= atomic_load(&c->best) && (!c->result->found || number < c->result->item)) {
        atomic_store(&c->best, number);
        c->result->found = true;
        c->result->item = number;
        c->result->violation = *v;
        trace_copy(&c->result->trace, t->list, t->count);
    }
    pthread_mutex_unlock(&c->lock);
}

static struct share *crew_share_with(struct crew *c, uint64_t number)
{
    for (size_t i = 0; i < c->share_count; i++)
        if (number >= c->shares[i].first && number < c->shares[i].next && c->shares[i].left)
            return &c->shares[i];
    return NULL;
}

/* An item that ends after the search was stopped may have been given up on the way. */
static void crew_completed(struct crew *c, uint64_t number)
{
    pthread_mutex_lock(&c->lock);
    struct share *s = crew_share_with(c, number);
    if (!atomic_load(&c->stop)) {
        atomic_fetch_add(&c->items, 1);
        if (s)
            s->left--;
    } else if (number < c->open) {
        c->open = number;
    }
    pthread_mutex_unlock(&c->lock);
}

/* The lowest number that was given and not taken; false: there is none. What cannot be the result any more is passed
 * over. */
static bool crew_take_given(struct crew *c, uint64_t *number)
{
    for (size_t i = 0; i < c->share_count; i++) {
        struct share *s = &c->shares[i];
        if (s->next < s->end && s->next <= atomic_load(&c->best)) {
            *number = s->next++;
            return true;
        }
        s->left -= s->end - s->next;
        s->next = s->end;
    }
    return false;
}

/* The next item to be done; false: this worker is done. */
static bool crew_take(struct crew *c, uint64_t *number)
{
    bool taken = false;
    pthread_mutex_lock(&c->lock);
    while (!(taken = crew_take_given(c, number)) && !c->no_more && !atomic_load(&c->stop))
        pthread_cond_wait(&c->given, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return taken;
}

/* After a stop each worker leaves with the number that it would have taken, so that `open` is right. */
static void crew_work_in(struct crew *c, struct world *w)
{
    uint64_t number;
    while (crew_take(c, &number)) {
        struct trace t = {.list = NULL};
        struct violation v = {.kind = VIOLATION_NONE};
        if (crew_goes_on(c, number))
            v = c->job->one(c->job->context, c, w, number, &t);
        if (v.kind != VIOLATION_NONE)
            crew_report(c, number, &v, &t);
        crew_completed(c, number);
        trace_free(&t);
        if (atomic_load(&c->stop))
            break;
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

/* ---- the caller's thread ---- */

static bool crew_wait_for(struct crew *c, long nanoseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += nanoseconds;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&c->lock);
    bool late = c->running && pthread_cond_timedwait(&c->ended, &c->lock, &until) == ETIMEDOUT;
    pthread_mutex_unlock(&c->lock);
    return late;
}

static unsigned crew_running(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    unsigned running = c->running;
    pthread_mutex_unlock(&c->lock);
    return running;
}

/* Asks about ten times a second whether to go on, and exchanges messages with other ranks more often. */
static void crew_wait(struct crew *c, struct shares *shares, search_stop *stop, void *context)
{
    enum { PAUSE = 100000000, TURNS = 10 };
    bool over = !shares;
    unsigned turn = 0;
    while (crew_running(c) || !over) {
        bool late = crew_wait_for(c, shares ? PAUSE / TURNS : PAUSE);
        if (!over && !shares_turn(shares)) {
            over = true;
            crew_no_more(c);
        }
        if (!late || !stop || (shares && turn++ % TURNS))
            continue;
        struct search_progress p = crew_progress(c);
        if (stop(context, &p))
            crew_stop(c);
    }
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

/* Threads that cannot be had are done without; where there is none at all, the caller's does the work, which a rank
 * cannot do: it has messages to exchange. */
static bool crew_start(struct crew *c, struct worker *workers, struct motet_error *e)
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
    if (!started && c->job->ranks) {
        c->running = 0;
        return error_set(e, "no thread can be started for the items of this rank");
    }
    if (!started)
        crew_work(&workers[0]);
    return true;
}

static void crew_conclude(struct crew *c)
{
    struct search_result *r = c->result;
    r->done = crew_progress(c);
    r->stopped = atomic_load(&c->stop);
    r->next = r->found ? r->item : c->open < c->job->count ? c->open : c->job->count;
    if (c->job->figures)
        c->job->figures(c->job->context, r->figures);
}

static void crew_end(struct crew *c, struct worker *workers, const struct subjects *subjects)
{
    for (unsigned i = 0; i < c->workers; i++) {
        if (workers[i].started)
            pthread_join(workers[i].thread, NULL);
        subjects->release(subjects->context, &workers[i].subject);
    }
    crew_conclude(c);
    pthread_cond_destroy(&c->given);
    pthread_cond_destroy(&c->ended);
    pthread_mutex_destroy(&c->lock);
    free(c->shares);
}

/* A lone process is given everything; a rank what rank 0 gives it. */
static struct shares *crew_begin(struct crew *c)
{
    if (c->job->ranks)
        return shares_begin(c, c->job->ranks);
    if (c->job->first < c->job->count)
        crew_give(c, c->job->first, c->job->count);
    crew_no_more(c);
    return NULL;
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
        pthread_mutex_init(&c.lock, NULL);
        pthread_cond_init(&c.ended, NULL);
        pthread_cond_init(&c.given, NULL);
        struct shares *shares = crew_begin(&c);
        good = crew_start(&c, workers, e);
        if (good)
            crew_wait(&c, shares, stop, context);
        crew_end(&c, workers, subjects);
        if (shares)
            shares_end(shares, r);
    }
    free(workers);
    return good;
}

void search_result_free(struct search_result *r)
{
    trace_free(&r->trace);
}
