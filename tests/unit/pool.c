/* Pools: each item of a job is done exactly once, whatever the threads and the length of jobs, long enough for all
 * phases in which a pool tries what is quicker. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "network/pool.h"

enum { ITEMS = 40, JOBS = 4000 };

struct job {
    unsigned effort;
    uint32_t done[ITEMS], sum[ITEMS];
};

static void do_item(void *context, size_t item, size_t end)
{
    struct job *j = context;
    assert_in_range(end, item + 1, ITEMS);
    uint32_t sum = j->sum[item];
    for (unsigned i = 0; i < j->effort; i++)
        sum = sum * 1664525 + 1013904223;
    j->sum[item] = sum;
    j->done[item]++;
}

static void each_item_is_done_once(void **state)
{
    static const unsigned threads[] = {0, 1, 2, 8}, efforts[] = {1, 200};
    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (size_t e = 0; e < sizeof efforts / sizeof *efforts; e++) {
            struct pool *p = pool_new(threads[t]);
            struct job j = {.effort = efforts[e]};
            uint32_t wanted[ITEMS] = {0};
            for (size_t i = 0; i < JOBS; i++) {
                size_t items = i % (ITEMS + 1);
                pool_run(p, items, items * efforts[e], do_item, &j);
                for (size_t k = 0; k < items; k++)
                    wanted[k]++;
            }
            assert_memory_equal(j.done, wanted, sizeof wanted);
            pool_free(p);
        }
}

static void a_pool_may_have_no_job(void **state)
{
    (void)state;
    pool_free(pool_new(8));
    pool_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_is_done_once),
        cmocka_unit_test(a_pool_may_have_no_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
