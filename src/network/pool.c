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
    PATIENCE = 8000, /* how often a thread looks for the next job before it sleeps: they follow within microseconds */
    GRACE = 200,     /* how often it looks before it takes items of others, whose caches have what these touch */
    RELAX = 8,       /* looks between two pauses, which take as long as news from another processor */
    WAKE = 100000,   /* nanoseconds that jobs would take alone, since threads sleep: then it is worth waking them */
    STALL = 500000,  /* nanoseconds: a thread that others wait for so long has lost its processor to another program; */
    REST_MIN = 64,   /* then so many jobs are done alone, and more each time it happens again */
    REST_MAX = 16384,
    TRIAL = 24,      /* jobs that are done alone, and as many shared, to see which is quicker; */
    WARM = 64,       /* others before these, in which threads wake; */
    LONG = 1000000,  /* nanoseconds: fewer where they take so long, */
    AWAKE = 200000,  /* or so long until threads are awake, */
    LEAST = 3,       /* but so many at least */
    SHORT = 2000,    /* nanoseconds: where most jobs take less alone, sharing is not even tried */
    TRUST_MIN = 512, /* jobs that are done like the quicker ones; more each time it is the same again, */
    TRUST_MAX = 16384,
    TRUST_ALONE_MAX = 1 << 20, /* and still more while sharing is never quicker: to try it costs */
    SIZES = 24,
    TAKE = 256, /* items that are taken at once, at most: a lane has room to count what many threads take in vain */
    CACHE_LINE = 64,
};

/* Whether sharing is worth it depends on what an item costs, on the host and on what else that does. So it is tried,
 * for jobs of each size. No result depends on it. */
struct trial {
    enum { TRIAL_ALONE, TRIAL_WARM, TRIAL_SHARED, TRIAL_OVER } phase;
    unsigned done, left, trust; /* jobs of the phase; of the next TRIAL_OVER */
    bool shares;                /* the outcome of the last one */
    uint64_t phase_took;        /* nanoseconds */
    unsigned brief;             /* jobs that took less than SHORT */
    double alone;               /* what one typically takes, nanoseconds for an effort of one, alone */
    double took[TRIAL];         /* by jobs of the phase */
};

/* The items that are left: the end in the upper half, the next one in the lower, which goes past the end where several
 * threads take the last ones. Whoever has taken an item finds in the pool what to do: the job is not over before. */
struct lane {
    atomic_ullong items __attribute__((aligned(CACHE_LINE)));
    atomic_ullong done __attribute__((aligned(CACHE_LINE))); /* items by the lane's thread, in all jobs */
};

struct pool {
    unsigned threads; /* besides the caller's, started with the first job that is shared, */
    unsigned wanted;  /* and how many are to be */
    pthread_t *handles;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    double missed;            /* nanoseconds of work that sleepers could have helped with */
    uint64_t others_done;     /* items that threads have done before the job under way */
    unsigned rest, next_rest; /* jobs to do alone, now and after the next stall */
    struct trial *trials;     /* SIZES, from the first job on that may be shared */
    struct lane *lanes __attribute__((aligned(CACHE_LINE))); /* the caller's first */
    unsigned lane_count;                                     /* also for threads that the system did not give */
    pool_work *work;
    void *_Atomic context;
    atomic_bool ending;
    atomic_uint sleepers; /* threads that wait for `wake` */
};

/* What a thread is given when it starts. */
struct helper {
    struct pool *pool;
    unsigned lane;
};

/* Between two looks. */
static void pool_relax(unsigned looks)
{
#if defined __x86_64__ || defined __i386__
    if (looks % RELAX == 0)
        __builtin_ia32_pause();
#else
    (void)looks;
#endif
}

/* ---- lanes ---- */

#define LANE_ITEMS(next, end) ((unsigned long long)(end) << 32 | (next))

static size_t lane_next(unsigned long long items)
{
    return (uint32_t)items;
}

static size_t lane_end(unsigned long long items)
{
    return items >> 32;
}

/* How many items nobody has taken. */
static size_t lane_left(const struct lane *l)
{
    unsigned long long items = atomic_load_explicit(&l->items, memory_order_relaxed);
    return lane_next(items) < lane_end(items) ? lane_end(items) - lane_next(items) : 0;
}

/* Takes items: from its own lane half of what is left, as each time costs a thread all that its processor has not yet
 * written; else one. Returns how many. */
static size_t lane_take(struct lane *l, bool own, size_t *item, size_t *end)
{
    size_t left = lane_left(l), wanted = !own ? 1 : left < 2 * TAKE ? (left + 1) / 2 : TAKE;
    if (!left)
        return 0;
    unsigned long long items = atomic_fetch_add_explicit(&l->items, wanted, memory_order_acquire);
    *item = lane_next(items);
    *end = own ? lane_end(items) : *item + 1;
    left = lane_next(items) < lane_end(items) ? lane_end(items) - lane_next(items) : 0;
    return left < wanted ? left : wanted;
}

/* Does what is left in a lane; returns how many items that were. */
static size_t pool_do_lane(const struct pool *p, struct lane *l, bool own)
{
    size_t done = 0, taken, item, end;
    for (; (taken = lane_take(l, own, &item, &end)); done += taken)
        for (size_t i = 0; i < taken; i++)
            p->work(p->context, item + i, end);
    return done;
}

static size_t pool_help_others(const struct pool *p, unsigned own)
{
    size_t done = 0;
    for (unsigned i = 1; i < p->lane_count; i++)
        done += pool_do_lane(p, &p->lanes[(own + i) % p->lane_count], false);
    return done;
}

static bool pool_has_items(const struct pool *p)
{
    for (unsigned i = 0; i < p->lane_count; i++)
        if (lane_left(&p->lanes[i]))
            return true;
    return false;
}

/* ---- threads ---- */

static bool pool_ends(const struct pool *p)
{
    return atomic_load_explicit(&p->ending, memory_order_relaxed);
}

/* Until there is something to do: in its own lane, or for a while in another's. To look there costs its thread time, so
 * it is done ever more seldom. */
static void pool_await_items(struct pool *p, const struct lane *own)
{
    for (unsigned i = 1, look = GRACE; i <= PATIENCE; i++) {
        if (lane_left(own) || pool_ends(p))
            return;
        if (i == look) {
            if (pool_has_items(p))
                return;
            look *= 4;
        }
        pool_relax(i);
    }
    pthread_mutex_lock(&p->lock);
    p->sleepers++;
    while (!pool_ends(p) && !pool_has_items(p))
        pthread_cond_wait(&p->wake, &p->lock);
    p->sleepers--;
    pthread_mutex_unlock(&p->lock);
}

static void *thread_main(void *context)
{
    struct helper given = *(struct helper *)context;
    struct pool *p = given.pool;
    struct lane *own = &p->lanes[given.lane];
    unsigned long long all = 0;
    free(context);
    for (;;) {
        pool_await_items(p, own);
        if (pool_ends(p))
            return NULL;
        __builtin_prefetch(atomic_load_explicit(&p->context, memory_order_relaxed)); /* mostly the last job's */
        size_t done = pool_do_lane(p, own, true);
        done = done ? done : pool_help_others(p, given.lane);
        if (done)
            atomic_store_explicit(&own->done, all += done, memory_order_release);
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
    p->lane_count = threads ? threads : 1;
    p->wanted = p->lane_count - 1;
    p->handles = memory_array(p->lane_count, sizeof *p->handles);
    p->lanes = aligned_zeros(p->lane_count * sizeof *p->lanes);
    return p;
}

/* Where the system gives no more threads, fewer do the same work. */
static void start_threads(struct pool *p)
{
    while (p->threads < p->wanted && start_thread(p))
        p->threads++;
    p->wanted = p->threads;
}

static void pool_wake(struct pool *p)
{
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
    pool_wake(p);
    for (unsigned i = 0; i < p->threads; i++)
        pthread_join(p->handles[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p->handles);
    free(p->lanes);
    free(p->trials);
    free(p);
}

bool pool_is_alone(const struct pool *p)
{
    return p->wanted == 0;
}

/* ---- a job ---- */

static uint64_t pool_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void pool_run_alone(size_t items, pool_work *work, void *context)
{
    for (size_t i = 0; i < items; i++)
        work(context, i, items);
}

/* Where a lane's part of the items begins. */
static size_t pool_part(const struct pool *p, size_t items, unsigned lane)
{
    return items * lane / (p->threads + 1);
}

/* Gives each lane its part, but for the first half of the caller's, which it has taken; returns how many these are. A
 * thread that comes to sleep now may miss it: the caller then does all, and finds it asleep with the next job. */
static size_t pool_fill_lanes(struct pool *p, size_t items)
{
    for (unsigned i = p->threads; i > 0; i--)
        atomic_store_explicit(&p->lanes[i].items, LANE_ITEMS(pool_part(p, items, i), pool_part(p, items, i + 1)),
                              memory_order_release);
    size_t end = pool_part(p, items, 1), taken = (end + 1) / 2;
    atomic_store_explicit(&p->lanes[0].items, LANE_ITEMS(taken, end), memory_order_release);
    return taken;
}

/* Does all that is for threads that have not begun: they sleep, or have no processor. */
static size_t pool_replace_late(const struct pool *p, size_t items)
{
    size_t done = 0;
    for (unsigned i = 1; i <= p->threads; i++)
        if (lane_left(&p->lanes[i]) == pool_part(p, items, i + 1) - pool_part(p, items, i))
            done += pool_do_lane(p, &p->lanes[i], true);
    return done;
}

static uint64_t pool_others_done(const struct pool *p)
{
    uint64_t done = 0;
    for (unsigned i = 1; i <= p->threads; i++)
        done += atomic_load_explicit(&p->lanes[i].done, memory_order_acquire);
    return done;
}

static void pool_stalled(struct pool *p, uint64_t took)
{
    if (took < STALL)
        return;
    p->rest = p->next_rest;
    p->next_rest = p->next_rest * 2 < REST_MAX ? p->next_rest * 2 : REST_MAX;
}

/* Until the others have done all but the items that the caller does. A thread that has not begun is not waited for. */
static void pool_await_others(struct pool *p, uint64_t others)
{
    uint64_t since = 0;
    for (unsigned i = 1; pool_others_done(p) != p->others_done + others; i++) {
        if (i >= GRACE)
            others -= pool_help_others(p, 0);
        if (i < PATIENCE) {
            pool_relax(i);
        } else {
            since = since ? since : pool_now();
            sched_yield(); /* more threads than processors: let them work */
        }
    }
    p->others_done += others;
    if (since)
        pool_stalled(p, pool_now() - since);
    else if (p->next_rest > REST_MIN)
        p->next_rest--;
}

static void pool_run_shared(struct pool *p, size_t items, double effort, pool_work *work, void *context)
{
    start_threads(p);
    if (p->work != work || p->context != context) {
        p->work = work;
        p->context = context;
    }
    size_t own = pool_fill_lanes(p, items);
    if (atomic_load_explicit(&p->sleepers, memory_order_relaxed) && (p->missed += effort) >= WAKE)
        pool_wake(p);
    for (size_t i = 0; i < own; i++)
        work(context, i, pool_part(p, items, 1));
    own += pool_do_lane(p, &p->lanes[0], true);
    own += pool_replace_late(p, items);
    pool_await_others(p, items - own);
}

/* ---- what is quicker ---- */

static void pool_try_phase(struct trial *t, unsigned phase, unsigned jobs)
{
    t->phase = phase;
    t->left = jobs;
    t->done = t->brief = 0;
    t->phase_took = 0;
}

static int pool_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What a job of the phase took, in the middle: other programs make some take longer. */
static double pool_typical(struct trial *t)
{
    qsort(t->took, t->done, sizeof *t->took, pool_compare);
    return t->took[t->done / 2];
}

/* What was found holds for some time: for longer, the more often it was found. */
static void pool_try_over(struct trial *t, bool shares)
{
    unsigned times = shares ? 2 : 4, most = shares ? TRUST_MAX : TRUST_ALONE_MAX;
    t->trust = shares == t->shares && times * t->trust <= most ? times * t->trust : TRUST_MIN;
    t->shares = shares;
    pool_try_phase(t, TRIAL_OVER, t->trust);
}

/* The next phase, when the last is over. Sharing must be quicker by some hundredths: it takes a processor. */
static void pool_try_next(struct trial *t)
{
    switch (t->phase) {
    case TRIAL_ALONE:
        t->alone = pool_typical(t);
        if (2 * t->brief > t->done)
            pool_try_over(t, false);
        else
            pool_try_phase(t, TRIAL_WARM, WARM);
        break;
    case TRIAL_WARM: pool_try_phase(t, TRIAL_SHARED, TRIAL); break;
    case TRIAL_SHARED: pool_try_over(t, pool_typical(t) < 0.95 * t->alone); break;
    case TRIAL_OVER: pool_try_phase(t, TRIAL_ALONE, TRIAL); break;
    }
}

/* A job of a phase is done. */
static void pool_tried(struct trial *t, size_t effort, uint64_t took)
{
    bool warm = t->phase == TRIAL_WARM;
    if (!warm)
        t->took[t->done] = (double)took / (double)effort;
    t->done++;
    t->phase_took += took;
    t->brief += took < SHORT;
    if (--t->left == 0 || (t->phase_took >= (warm ? AWAKE : LONG) && t->done >= LEAST))
        pool_try_next(t);
}

/* One trial is for efforts up to twice the least. */
static struct trial *pool_trial(struct pool *p, size_t effort)
{
    if (!p->trials) {
        p->trials = memory_array(SIZES, sizeof *p->trials);
        for (unsigned i = 0; i < SIZES; i++)
            p->trials[i] = (struct trial){.left = TRIAL, .trust = TRUST_MIN};
    }
    unsigned size = effort ? 63 - (unsigned)__builtin_clzll(effort) : 0;
    return &p->trials[size < SIZES ? size : SIZES - 1];
}

void pool_run(struct pool *p, size_t items, size_t effort, pool_work *work, void *context)
{
    bool alone = p->wanted == 0 || items < 2 || items > INT32_MAX || p->rest;
    p->rest -= p->rest > 0;
    if (alone) {
        pool_run_alone(items, work, context);
        return;
    }
    effort = effort ? effort : 1;
    struct trial *t = pool_trial(p, effort);
    bool over = t->phase == TRIAL_OVER;
    uint64_t since = over ? 0 : pool_now();
    if (t->phase == TRIAL_WARM)
        p->missed = WAKE; /* threads that sleep are to wake */
    if (t->phase == TRIAL_ALONE || (over && !t->shares))
        pool_run_alone(items, work, context);
    else
        pool_run_shared(p, items, t->alone * (double)effort, work, context);
    if (!over)
        pool_tried(t, effort, pool_now() - since);
    else if (--t->left == 0)
        pool_try_next(t);
}
