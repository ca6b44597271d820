/* Ranks that share a search find what one process finds, also when one of them falls silent. Ranks are threads here. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "board/boards.h"
#include "check/crew.h"
#include "node/machine.h"
#include "unit/check_pair.h"

enum { RANKS = 3, ITEMS = 400, LETTERS = 20000 };

/* ---- a post office in place of MPI ---- */

struct letter {
    unsigned from;
    uint8_t *bytes;
    size_t size;
};

static struct post {
    pthread_mutex_t lock;
    struct letter letters[RANKS][LETTERS];
    size_t sent[RANKS], read[RANKS];
    unsigned mute;     /* this rank falls silent, */
    size_t mute_after; /* after so many letters; 0: it never does */
    size_t written;    /* by it */
} post = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local unsigned here;

static void post_send(unsigned to, const void *bytes, size_t size)
{
    pthread_mutex_lock(&post.lock);
    bool lost = post.mute_after && here == post.mute && ++post.written > post.mute_after;
    if (!lost) {
        assert_true(post.sent[to] < LETTERS);
        post.letters[to][post.sent[to]++] = (struct letter){here, memory_copy(bytes, size), size};
    }
    pthread_mutex_unlock(&post.lock);
}

static bool post_receive(unsigned *from, uint8_t **bytes, size_t *size)
{
    pthread_mutex_lock(&post.lock);
    bool there = post.read[here] < post.sent[here];
    if (there) {
        const struct letter *l = &post.letters[here][post.read[here]++];
        *from = l->from, *bytes = l->bytes, *size = l->size;
    }
    pthread_mutex_unlock(&post.lock);
    return there;
}

static void post_clear(void)
{
    for (unsigned to = 0; to < RANKS; to++) {
        for (size_t i = post.read[to]; i < post.sent[to]; i++)
            free(post.letters[to][i].bytes);
        post.sent[to] = post.read[to] = 0;
    }
    post.mute_after = post.written = 0;
}

/* ---- a job that fails where it is told to ---- */

struct trial {
    bool fails[ITEMS];
    atomic_uint done[ITEMS];
};

static struct violation trial_one(void *context, struct crew *c, struct world *w, uint64_t number, struct trace *t)
{
    struct trial *trial = context;
    struct choice choice = {.source = CHOICE_RESET, .node = 7, .ordinal = number, .outcome = 1, .at = number * 1000};
    (void)w;
    atomic_fetch_add(&trial->done[number], 1);
    crew_add(c, 10, 1);
    if (!trial->fails[number])
        return (struct violation){.kind = VIOLATION_NONE};
    trace_add(t, &choice);
    return (struct violation){VIOLATION_FAULT, 1, number, 2, 3};
}

static void trial_figures(void *context, uint64_t figures[CREW_FIGURES])
{
    (void)context;
    figures[0] = here == 0 ? 1 : 10;
}

static struct machine *machine;

static bool trial_make(void *context, struct check_subject *s, struct motet_error *e)
{
    (void)context;
    return pair_make(machine, "TOS_NODE_ID", NULL, 0, s, e);
}

static void trial_release(void *context, struct check_subject *s)
{
    (void)context;
    network_free(s->network);
}

struct member_of {
    struct ranks ranks;
    struct trial *trial;
    uint64_t round;
    search_stop *stop;
    struct search_result result;
    pthread_t thread;
};

static void *member_run_one(void *context)
{
    struct member_of *m = context;
    struct subjects subjects = {NULL, trial_make, trial_release};
    struct crew_job job = {.context = m->trial,
                           .first = 5,
                           .count = ITEMS,
                           .ranks = &m->ranks,
                           .round = m->round,
                           .one = trial_one,
                           .figures = trial_figures};
    struct motet_error e;
    here = m->ranks.rank;
    assert_true(crew_run(&job, 1 + here, &subjects, m->stop, NULL, &m->result, &e));
    return NULL;
}

/* The mute one is not waited for by rank 0; it ends when it hears the result. */
static void together(struct trial *trial, uint64_t round, search_stop *stop, struct search_result results[RANKS])
{
    struct member_of m[RANKS];
    for (unsigned i = 0; i < RANKS; i++) {
        m[i] = (struct member_of){.ranks = {i, RANKS, post_send, post_receive}, .trial = trial, .round = round};
        m[i].stop = i == 0 ? stop : NULL;
        assert_int_equal(pthread_create(&m[i].thread, NULL, member_run_one, &m[i]), 0);
    }
    for (unsigned i = 0; i < RANKS; i++) {
        pthread_join(m[i].thread, NULL);
        results[i] = m[i].result;
    }
}

static void results_free(struct search_result results[RANKS])
{
    for (unsigned i = 0; i < RANKS; i++)
        search_result_free(&results[i]);
}

static void must_find(const struct search_result results[RANKS], uint64_t item)
{
    for (unsigned i = 0; i < RANKS; i++) {
        assert_true(results[i].found);
        assert_int_equal(results[i].item, item);
        assert_int_equal(results[i].next, item);
        assert_int_equal(results[i].violation.at, item);
        assert_false(results[i].stopped);
    }
    assert_int_equal(results[0].trace.count, 1);
    assert_int_equal(results[0].trace.list[0].ordinal, item);
    assert_int_equal(results[1].trace.count, 0);
}

/* ---- tests ---- */

static void the_lowest_item_wins(void **state)
{
    struct search_result results[RANKS];
    (void)state;
    for (uint64_t lowest = 5; lowest < ITEMS; lowest += 79) {
        struct trial trial = {.fails = {false}};
        for (uint64_t i = lowest; i < ITEMS; i += 3)
            trial.fails[i] = true;
        trial.fails[0] = true;                   /* was done before */
        together(&trial, lowest, NULL, results); /* letters of an earlier round may be left */
        must_find(results, lowest);
        assert_int_equal(results[0].lost, 0);
        results_free(results);
    }
    post_clear();
}

static void without_a_failure_all_is_done_once(void **state)
{
    struct search_result results[RANKS];
    struct trial trial = {.fails = {false}};
    (void)state;
    together(&trial, 1, NULL, results);
    for (unsigned i = 0; i < RANKS; i++) {
        assert_false(results[i].found);
        assert_int_equal(results[i].next, ITEMS);
        assert_int_equal(results[i].done.items, ITEMS - 5);
        assert_int_equal(results[i].done.nanoseconds, 10 * (ITEMS - 5));
        assert_int_equal(results[i].figures[0], 21);
    }
    for (unsigned i = 0; i < ITEMS; i++)
        assert_int_equal(atomic_load(&trial.done[i]), i >= 5);
    results_free(results);
    post_clear();
}

static void a_silent_rank_costs_only_its_share(void **state)
{
    struct search_result results[RANKS];
    struct trial trial = {.fails = {false}};
    (void)state;
    post.mute = 1;
    post.mute_after = 2;
    together(&trial, 2, NULL, results);
    assert_int_equal(results[0].lost, 1);
    assert_false(results[0].found || results[0].stopped);
    assert_int_equal(results[0].next, ITEMS);
    for (unsigned i = 5; i < ITEMS; i++)
        assert_true(atomic_load(&trial.done[i]) >= 1);
    results_free(results);
    post_clear();
}

/* What the silent rank had found, and could not say, is found by another. */
static void what_a_silent_rank_found_is_found_again(void **state)
{
    struct search_result results[RANKS];
    struct trial trial = {.fails = {false}};
    (void)state;
    trial.fails[8] = trial.fails[300] = true;
    post.mute = 1;
    post.mute_after = 1;
    together(&trial, 3, NULL, results);
    must_find(results, 8);
    results_free(results);
    post_clear();
}

static bool at_once(void *context, const struct search_progress *p)
{
    (void)context, (void)p;
    return true;
}

static void a_stop_ends_all(void **state)
{
    struct search_result results[RANKS];
    struct trial trial = {.fails = {false}};
    (void)state;
    post.mute = 1; /* so that it cannot end before it is stopped */
    post.mute_after = 1;
    together(&trial, 4, at_once, results);
    for (unsigned i = 0; i < RANKS; i++) {
        assert_true(results[i].stopped || results[i].next == ITEMS);
        for (uint64_t k = 5; k < results[i].next; k++)
            assert_true(atomic_load(&trial.done[k]) >= 1);
    }
    results_free(results);
    post_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_item_wins),
        cmocka_unit_test(without_a_failure_all_is_done_once),
        cmocka_unit_test(a_silent_rank_costs_only_its_share),
        cmocka_unit_test(what_a_silent_rank_found_is_found_again),
        cmocka_unit_test(a_stop_ends_all),
    };
    machine = pair_load(FIRMWARE_DIR "/check-small.elf");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    machine_free(machine);
    return failed;
}
