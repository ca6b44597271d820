#include "network/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* How often a thread looks for the next job before it sleeps: windows follow each other within microseconds. */
enum { PATIENCE = 1000 };

struct pool {
    unsigned threads; /* besides the caller's */
    pthread_t *handles;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_uint sleepers; /* threads that wait for it */
    /* The number of the job in the upper half, whether it takes threads in bit 31, and how many are at it below. A
     * thread that comes late finds the job closed and is not waited for: on a busy machine it may not run for long. */
    atomic_ullong job;
    atomic_bool ending;
    atomic_size_t next;
    size_t items, batch;
    void (*work)(void *context, size_t item);
    void *context;
};

static void relax(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

static void do_items(struct pool *p)
{
    for (;;) {
        size_t from = atomic_fetch_add_explicit(&p->next, p->batch, memory_order_relaxed);
        if (from >= p->items)
            return;
        size_t to = from + p->batch < p->items ? from + p->batch : p->items;
        for (size_t i = from; i < to; i++)
            p->work(p->context, i);
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
    struct pool *p = context;
    unsigned long long last = 0;
    for (;;) {
        last = await_job(p, last);
        if (atomic_load(&p->ending))
            return NULL;
        if (!join(p, last))
            continue;
        do_items(p);
        atomic_fetch_sub(&p->job, 1);
    }
}

struct pool *pool_new(unsigned threads)
{
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    p->handles = calloc(threads ? threads : 1, sizeof *p->handles);
    if (!p->handles)
        abort();
    while (p->threads + 1 < threads && pthread_create(&p->handles[p->threads], NULL, thread_main, p) == 0)
        p->threads++; /* where the system gives no more threads, fewer do the same work */
    return p;
}

/* Opens the next job. Nobody is at the last one any more. */
static void announce(struct pool *p)
{
    unsigned long long number = atomic_load(&p->job) / JOB + 1;
    atomic_store(&p->job, number * JOB + OPEN);
    if (!atomic_load(&p->sleepers)) /* one that comes to sleep now looks at the job first */
        return;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

void pool_free(struct pool *p)
{
    if (!p)
        return;
    atomic_store(&p->ending, true);
    announce(p);
    for (unsigned i = 0; i < p->threads; i++)
        pthread_join(p->handles[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p->handles);
    free(p);
}

unsigned pool_threads(const struct pool *p)
{
    return p->threads + 1;
}

void pool_run(struct pool *p, size_t items, void (*work)(void *context, size_t item), void *context)
{
    if (p->threads == 0 || items < 2) {
        for (size_t i = 0; i < items; i++)
            work(context, i);
        return;
    }
    p->items = items;
    p->batch = 1 + items / (8 * (p->threads + 1));
    p->work = work;
    p->context = context;
    atomic_store(&p->next, 0);
    announce(p);
    do_items(p);
    atomic_fetch_and(&p->job, ~OPEN);
    for (unsigned i = 0; atomic_load(&p->job) % OPEN; i++)
        if (i < PATIENCE)
            relax();
        else
            sched_yield(); /* more threads than processors: let them work */
}
