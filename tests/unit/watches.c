/* Thousands of watches on one node: a hit calls those at its address, in the order in which they came. */
#include "avr_bench.h"

#include "node/taps.h"

enum { NARROW = 2000, FIRST = 0x100 };

static unsigned called[NARROW + 2], calls;
static struct node *the_node;
static struct motet_tap *taken_off, *put_on;

static void note(void *context, const motet_node *n, const struct motet_access *a)
{
    (void)n, (void)a;
    called[calls++] = *(const unsigned *)context;
}

static void change(void *context, const motet_node *n, const struct motet_access *a)
{
    note(context, n, a);
    static const unsigned number = 77;
    tap_remove(taken_off);
    taken_off = NULL;
    if (!put_on)
        put_on = tap_watch(the_node, 0x180, 0x180, MOTET_WRITE | MOTET_AFTER, note, (void *)(uintptr_t)&number);
}

/* sts 0x180, r16, over and over */
static struct node *writer(void)
{
    static uint16_t program[64];
    for (unsigned i = 0; i < 64; i += 2) {
        program[i] = 0x9300;
        program[i + 1] = 0x0180;
    }
    struct bench_code code = {.words = program, .count = 64};
    calls = 0;
    return the_node = bench_node(&bench_avr5, &code, 1);
}

static void a_hit_calls_its_own_in_order(void **state)
{
    (void)state;
    struct node *n = writer();
    static unsigned numbers[NARROW + 2];
    for (unsigned i = 0; i < NARROW + 2; i++)
        numbers[i] = i;
    const unsigned when = MOTET_WRITE | MOTET_AFTER;
    tap_watch(n, 0, 0xffff, when, note, &numbers[NARROW]); /* wide, first */
    for (unsigned i = 0; i < NARROW; i++)
        tap_watch(n, FIRST + i % 0x400, FIRST + i % 0x400, when, note, &numbers[i]);
    tap_watch(n, 0x170, 0x8ff, when, note, &numbers[NARROW + 1]); /* wide, last */
    node_step(n);
    assert_int_equal(calls, 4);
    assert_int_equal(called[0], NARROW);
    assert_int_equal(called[1], 0x80);
    assert_int_equal(called[2], 0x480);
    assert_int_equal(called[3], NARROW + 1);
    bench_free(n);
}

/* A watch that goes in a callback is not called any more; one that comes is called from the next access on. */
static void callbacks_may_change_them(void **state)
{
    (void)state;
    struct node *n = writer();
    static unsigned numbers[2] = {1, 2};
    const unsigned when = MOTET_WRITE | MOTET_AFTER;
    put_on = NULL;
    tap_watch(n, 0x180, 0x181, when, change, &numbers[0]);
    taken_off = tap_watch(n, 0x180, 0x180, when, note, &numbers[1]);
    node_step(n);
    assert_int_equal(calls, 1);
    node_step(n);
    assert_int_equal(calls, 3);
    assert_int_equal(called[1], 1);
    assert_int_equal(called[2], 77);
    bench_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hit_calls_its_own_in_order),
        cmocka_unit_test(callbacks_may_change_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
