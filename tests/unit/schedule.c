/* Schedules against a plain list, and pools: every item once, whatever the threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "network/pool.h"
#include "network/schedule.h"

enum { MOST = 300 };

static uint32_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33);
}

static void must_agree(const struct schedule *s, const uint64_t *times, uint32_t count, uint64_t before)
{
    static uint32_t found[MOST];
    uint64_t first = UINT64_MAX;
    size_t expected = 0, got = schedule_before(s, before, found);
    for (uint32_t i = 0; i < count; i++) {
        first = times[i] < first ? times[i] : first;
        if (times[i] < before) {
            assert_true(expected < got);
            assert_int_equal(found[expected++], i);
        }
    }
    assert_int_equal(got, expected);
    assert_true(schedule_first(s) == first);
}

static void settling_many_is_setting_each(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (uint32_t count = 1; count < MOST; count += 1 + count / 3) {
        struct schedule s = {0};
        uint64_t times[MOST];
        schedule_resize(&s, count);
        for (uint32_t i = 0; i < count; i++)
            schedule_set(&s, i, times[i] = draw(&random) % 1000);
        for (unsigned round = 0; round < 200; round++) {
            uint32_t numbers[MOST];
            size_t changed = 0;
            unsigned one_in = 1 + draw(&random) % 20;
            for (uint32_t i = 0; i < count; i++)
                if (draw(&random) % one_in == 0) {
                    times[i] = draw(&random) % 7 ? draw(&random) % 1000 : UINT64_MAX;
                    schedule_put(&s, i, times[i]);
                    numbers[changed++] = i;
                }
            schedule_settle(&s, numbers, changed);
            must_agree(&s, times, count, draw(&random) % 1000);
        }
        schedule_free(&s);
    }
}

static void count_item(void *context, size_t item, size_t end)
{
    assert_true(item < end);
    atomic_fetch_add(&((atomic_uint *)context)[item], 1);
}

static void each_item_is_done_once(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct pool *p = pool_new(threads);
        for (unsigned round = 0; round < 300; round++) {
            atomic_uint done[MOST] = {0};
            size_t items = round * 37 % (MOST + 1);
            pool_run(p, items, items << round % 8, count_item, done);
            for (size_t i = 0; i < MOST; i++)
                assert_int_equal(done[i], i < items);
        }
        pool_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settling_many_is_setting_each),
        cmocka_unit_test(each_item_is_done_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
