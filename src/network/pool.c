#include "network/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* How often a thread looks for the next job before it sleeps: windows follow each other within microseconds. */
enum { PATIENCE = 4000 };

struct pool {
    unsigned threads; /* besides the caller's */
    pthread_t *handles;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_uint job; /* counts them */
    atomic_uint busy;
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

/* Waits for a job other than the last one. */
static unsigned await_job(struct pool *p, unsigned last)
{
    unsigned job = last;
    for (unsigned i = 0; i < PATIENCE; i++) {
        job = atomic_load_explicit(&p->job, memory_order_acquire);
        if (job != last)
            return job;
        relax();
    }
    pthread_mutex_lock(&p->lock);
    while ((job = atomic_load_explicit(&p->job, memory_order_acquire)) == last)
        pthread_cond_wait(&p->wake, &p->lock);
    pthread_mutex_unlock(&p->lock);
    return job;
}

static void *thread_main(void *context)
{
    struct pool *p = context;
    unsigned last = 0;
    for (;;) {
        last = await_job(p, last);
        if (atomic_load(&p->ending))
            return NULL;
        do_items(p);
        atomic_fetch_sub_explicit(&p->busy, 1, memory_order_release);
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

static void announce(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add_explicit(&p->job, 1, memory_order_release);
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
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_store_explicit(&p->busy, p->threads, memory_order_relaxed);
    announce(p);
    do_items(p);
    for (unsigned i = 0; atomic_load_explicit(&p->busy, memory_order_acquire); i++)
        if (i < PATIENCE)
            relax();
        else
            sched_yield(); /* more threads than processors: let them work */
}
