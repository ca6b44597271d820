/* Affine numbers (isa/affine.h) against their definition, round by round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/affine.h"

static uint64_t state = 1;

static uint32_t drawn(void)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static struct affine any(unsigned width)
{
    static const int64_t steps[] = {0, 0, 1, -1, 2, -3, 5, 7, 60, -128, 255, 1000, -32768};
    int64_t step = drawn() % 4 ? steps[drawn() % (sizeof steps / sizeof *steps)] : (int64_t)drawn();
    int64_t at = drawn() % 3 ? (int64_t)drawn() : (int64_t)(drawn() % 4) - 2;
    return affine_of(at, step, width);
}

static struct affine in_round(struct affine a, uint64_t round)
{
    return affine_of(affine_value(a, round), a.step, a.width);
}

/* No answer changes in the rounds that affine_lasts names. In rounds of one byte all are looked at. */
static void test_answers_last(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 20000; i++) {
        unsigned width = 1 + drawn() % 4;
        struct affine a = any(width), b = drawn() % 2 ? affine_of(drawn(), 0, width) : any(width);
        enum affine_test test = (enum affine_test)(drawn() % AFFINE_TESTS);
        uint64_t last = affine_lasts(test, a, b);
        bool answer = affine_holds(test, a, b);
        for (uint64_t round = 0; round < 600 && round <= last; round++)
            assert_int_equal(affine_holds(test, in_round(a, round), in_round(b, round)), answer);
        for (uint64_t round = last < 300 ? 0 : last - 300; last < UINT64_MAX && round <= last; round++)
            assert_int_equal(affine_holds(test, in_round(a, round), in_round(b, round)), answer);
    }
}

/* Counting by one to a number is known to the very round. */
static void test_counting_is_exact(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 2000; i++) {
        unsigned width = 1 + drawn() % 3;
        struct affine a = affine_of(drawn(), drawn() % 2 ? 1 : -1, width), b = affine_of(drawn(), 0, width);
        if (a.at == b.at)
            continue;
        uint64_t last = affine_lasts(AFFINE_EQUAL, a, b);
        assert_int_equal(affine_value(a, last + 1), b.at);
        bool below = affine_holds(AFFINE_BELOW, a, b);
        uint64_t other = affine_lasts(AFFINE_BELOW, a, b);
        if ((a.step > 0) == below) /* it comes nearer */
            assert_int_not_equal(affine_holds(AFFINE_BELOW, in_round(a, other + 1), b), below);
    }
}

static void test_runs_end_before_the_turn(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 5000; i++) {
        struct affine a = any(1 + drawn() % 4);
        uint64_t last = affine_runs(a);
        uint32_t before = (uint32_t)a.at;
        for (uint64_t round = 1; round < 300 && round <= last; round++) {
            uint32_t now = affine_value(a, round);
            assert_true(a.step >= 0 ? now >= before : now <= before);
            before = now;
        }
        if (a.step == 0)
            assert_int_equal(last, UINT64_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_last),
        cmocka_unit_test(test_counting_is_exact),
        cmocka_unit_test(test_runs_end_before_the_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
