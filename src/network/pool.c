#include "network/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"

enum {
    PATIENCE = 2000, /* how often a thread looks for the next job before it sleeps: they follow within microseconds */
    LARGE = 16,      /* items that are worth the waking of one that sleeps; */
    MISSED = 256,    /* or so many in small jobs since they sleep */
    STALL = 500000,  /* nanoseconds: a thread that others wait for so long has lost its processor to another program; */
    REST_MIN = 64,   /* then so many jobs are done alone, and more each time it happens again */
    REST_MAX = 16384,
    TRIAL = 24,      /* jobs that are done alone, and as many shared, to see which is quicker; */
    WARM = 64,       /* others before these, in which threads wake; */
    LONG = 1000000,  /* nanoseconds: fewer where they take so long, */
    AWAKE = 200000,  /* or so long until threads are awake, */
    LEAST = 3,       /* but so many at least */
    SHORT = 3000,    /* nanoseconds: where most jobs take less alone, sharing is not even tried */
    TRUST_MIN = 512, /* jobs that are done like the quicker ones; more each time it is the same again, */
    TRUST_MAX = 16384,
    TRUST_ALONE_MAX = 1 << 20, /* and still more while sharing is never quicker: to try it costs */
    CACHE_LINE = 64,
};

/* Whether sharing is worth it depends on what an item costs, on the host and on what else that does. So it is tried. No
 * result depends on it. */
struct trial {
    enum { TRIAL_ALONE, TRIAL_WARM, TRIAL_SHARED, TRIAL_OVER } phase;
    unsigned left, trust; /* jobs of the phase; of the next TRIAL_OVER */
    bool shares;          /* the outcome of the last one */
    uint64_t took[2];     /* nanoseconds of alone and shared, */
    size_t items[2];      /* and items */
    uint64_t phase_took;  /* nanoseconds */
    unsigned brief;       /* jobs that took less than SHORT */
};

struct lane {
    atomic_size_t next;
    size_t end;
} __attribute__((aligned(CACHE_LINE)));

struct pool {
    unsigned threads; /* besides the caller's, started with the first job that is shared, */
    unsigned wanted;  /* and how many are to be */
    pthread_t *handles;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_uint sleepers; /* threads that wait for it */
    size_t missed;        /* items that sleepers could have helped with */
    uint64_t waited;
    unsigned rest, next_rest; /* jobs to do alone, now and after the next stall */
    struct trial trial;
    /* The number of the job in the upper half, whether it takes threads in bit 31, and how many are at it below. A
     * thread that comes late finds the job closed and is not waited for: on a busy machine it may not run for long. */
    atomic_ullong job __attribute__((aligned(CACHE_LINE)));
    atomic_bool ending;
    void (*work)(void *context, size_t item);
    void *context;
    struct lane *lanes; /* the caller's first */
};

/* What a thread is given when it starts. */
struct helper {
    struct pool *pool;
    unsigned lane;
};

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void do_lane(struct pool *p, struct lane *l)
{
    while (atomic_load_explicit(&l->next, memory_order_relaxed) < l->end) {
        size_t item = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
        if (item >= l->end)
            return;
        p->work(p->context, item);
    }
}

static void do_items(struct pool *p, unsigned own)
{
    for (unsigned i = 0; i <= p->threads; i++)
        do_lane(p, &p->lanes[(own + i) % (p->threads + 1)]);
}

static void fill_lanes(struct pool *p, size_t items)
{
    size_t lanes = p->threads + 1;
    for (size_t i = 0; i < lanes; i++) {
        atomic_store_explicit(&p->lanes[i].next, items * i / lanes, memory_order_relaxed);
        p->lanes[i].end = items * (i + 1) / lanes;
    }
}

#define JOB  (1ULL << 32)
#define OPEN (1ULL << 31)

/* Waits for a job other than the last one; returns its number. */
static unsigned long long await_job(struct pool *p, unsigned long long last)
{
    unsigned long long job;
    for (unsigned i = 0; i < PATIENCE; i++) {
        job = atomic_load_explicit(&p->job, memory_order_acquire) / JOB;
        if (job != last)
            return job;
        relax();
    }
    pthread_mutex_lock(&p->lock);
    p->sleepers++;
    while ((job = atomic_load(&p->job) / JOB) == last)
        pthread_cond_wait(&p->wake, &p->lock);
    p->sleepers--;
    pthread_mutex_unlock(&p->lock);
    return job;
}

static bool join(struct pool *p, unsigned long long job)
{
    unsigned long long was = atomic_load(&p->job);
    while (was / JOB == job && was & OPEN)
        if (atomic_compare_exchange_weak(&p->job, &was, was + 1))
            return true;
    return false;
}

static void *thread_main(void *context)
{
    struct helper given = *(struct helper *)context;
    struct pool *p = given.pool;
    unsigned long long last = 0;
    free(context);
    for (;;) {
        last = await_job(p, last);
        if (atomic_load(&p->ending))
            return NULL;
        if (!join(p, last))
            continue;
        do_items(p, given.lane);
        atomic_fetch_sub(&p->job, 1);
    }
}

static void *aligned_zeros(size_t size)
{
    size = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return memset(memory_aligned(CACHE_LINE, size), 0, size);
}

static bool start_thread(struct pool *p)
{
    struct helper *given = memory_bytes(sizeof *given);
    *given = (struct helper){p, p->threads + 1};
    if (pthread_create(&p->handles[p->threads], NULL, thread_main, given) != 0) {
        free(given);
        return false;
    }
    return true;
}

struct pool *pool_new(unsigned threads)
{
    struct pool *p = aligned_zeros(sizeof *p);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->next_rest = REST_MIN;
    p->trial = (struct trial){.left = TRIAL, .trust = TRUST_MIN};
    p->handles = memory_array(threads ? threads : 1, sizeof *p->handles);
    p->lanes = aligned_zeros((threads ? threads : 1) * sizeof *p->lanes);
    p->wanted = threads ? threads - 1 : 0;
    return p;
}

/* Where the system gives no more threads, fewer do the same work. */
static void start_threads(struct pool *p)
{
    while (p->threads < p->wanted && start_thread(p))
        p->threads++;
    p->wanted = p->threads;
}

/* Opens the next job. No thread works on the last one any more. */
static void announce(struct pool *p, size_t items)
{
    unsigned long long number = atomic_load(&p->job) / JOB + 1;
    atomic_store(&p->job, number * JOB + OPEN);
    if (!atomic_load(&p->sleepers)) /* one that comes to sleep now looks at the job first */
        return;
    p->missed += items;
    if (items < LARGE && p->missed < MISSED)
        return;
    p->missed = 0;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    atomic_store(&p->ending, true);
    announce(p, LARGE);
    for (unsigned i = 0; i < p->threads; i++)
        pthread_join(p->handles[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p->handles);
    free(p->lanes);
    free(p);
}

uint64_t pool_waited(const struct pool *p)
{
    return p->waited;
}

static uint64_t pool_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void await_others(struct pool *p)
{
    uint64_t since = pool_now();
    for (unsigned i = 0; atomic_load(&p->job) % OPEN; i++)
        if (i < PATIENCE)
            relax();
        else
            sched_yield(); /* more threads than processors: let them work */
    since = pool_now() - since;
    p->waited += since;
    if (since >= STALL) {
        p->rest = p->next_rest;
        p->next_rest = p->next_rest * 2 < REST_MAX ? p->next_rest * 2 : REST_MAX;
    }
}

static void pool_run_alone(size_t items, void (*work)(void *context, size_t item), void *context)
{
    for (size_t i = 0; i < items; i++)
        work(context, i);
}

static void pool_run_shared(struct pool *p, size_t items, void (*work)(void *context, size_t item), void *context)
{
    start_threads(p);
    fill_lanes(p, items);
    p->work = work;
    p->context = context;
    announce(p, items);
    do_items(p, 0);
    atomic_fetch_and(&p->job, ~OPEN);
    if (atomic_load(&p->job) % OPEN)
        await_others(p);
    else if (p->next_rest > REST_MIN)
        p->next_rest--;
}

static void pool_try_phase(struct trial *t, unsigned phase, unsigned jobs)
{
    t->phase = phase;
    t->left = jobs;
    t->phase_took = t->brief = 0;
}

/* What was found holds for some time: for longer, the more often it was found. */
static void pool_try_over(struct trial *t, bool shares)
{
    unsigned times = shares ? 2 : 4, most = shares ? TRUST_MAX : TRUST_ALONE_MAX;
    t->trust = shares == t->shares && times * t->trust <= most ? times * t->trust : TRUST_MIN;
    t->shares = shares;
    pool_try_phase(t, TRIAL_OVER, t->trust);
}

/* The next phase, when the last has no jobs left. Sharing must be quicker by some hundredths: it takes a processor. */
static void pool_try_next(struct trial *t, unsigned jobs)
{
    switch (t->phase) {
    case TRIAL_ALONE:
        if (2 * t->brief > jobs)
            pool_try_over(t, false);
        else
            pool_try_phase(t, TRIAL_WARM, WARM);
        break;
    case TRIAL_WARM: pool_try_phase(t, TRIAL_SHARED, TRIAL); break;
    case TRIAL_SHARED: {
        double alone = (double)t->took[0] / (double)t->items[0], shared = (double)t->took[1] / (double)t->items[1];
        pool_try_over(t, shared < 0.95 * alone);
        break;
    }
    case TRIAL_OVER: *t = (struct trial){.left = TRIAL, .trust = t->trust, .shares = t->shares}; break;
    }
}

/* A job of a phase is done. */
static void pool_tried(struct trial *t, size_t items, uint64_t took)
{
    bool warm = t->phase == TRIAL_WARM;
    unsigned jobs = (warm ? WARM : TRIAL) - --t->left;
    t->phase_took += took;
    t->brief += took < SHORT;
    if (!warm) {
        t->took[t->phase == TRIAL_SHARED] += took;
        t->items[t->phase == TRIAL_SHARED] += items;
    }
    if (t->left == 0 || (t->phase_took >= (warm ? AWAKE : LONG) && jobs >= LEAST))
        pool_try_next(t, jobs);
}

void pool_run(struct pool *p, size_t items, void (*work)(void *context, size_t item), void *context)
{
    struct trial *t = &p->trial;
    bool alone = p->wanted == 0 || items < 2 || p->rest;
    p->rest -= p->rest > 0;
    if (alone) {
        pool_run_alone(items, work, context);
        return;
    }
    bool over = t->phase == TRIAL_OVER;
    uint64_t since = over ? 0 : pool_now();
    if (t->phase == TRIAL_WARM)
        p->missed = MISSED; /* threads that sleep are to wake */
    if (t->phase == TRIAL_ALONE || (over && !t->shares))
        pool_run_alone(items, work, context);
    else
        pool_run_shared(p, items, work, context);
    if (!over)
        pool_tried(t, items, pool_now() - since);
    else if (--t->left == 0)
        pool_try_next(t, 0);
}
