/* Searches: what is found is minimal, and bounded searches miss nothing that plain enumeration finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "board/boards.h"
#include "check/deviate.h"
#include "check/minimise.h"
#include "node/machine.h"
#include "unit/check_pair.h"

struct family {
    struct machine *machine;
    const char *variable; /* that gets `value` in all nodes; NULL: none */
    uint64_t value;
};

static bool make(void *context, struct check_subject *s, struct motet_error *e)
{
    const struct family *f = context;
    return pair_make(f->machine, f->variable ? "TOS_NODE_ID" : "node_id", f->variable, f->value, s, e);
}

static void release(void *context, struct check_subject *s)
{
    (void)context;
    network_free(s->network);
}

/* ---- minimal counterexamples ---- */

static struct search_options usual(void)
{
    return (struct search_options){.walks = 200,
                                   .steady = 29000 * MS,
                                   .length = 30000 * MS,
                                   .workers = 2,
                                   .weights = {.lost = 0.1,
                                               .damaged = 0.05,
                                               .held = 0.02,
                                               .hold = 200,
                                               .busy = 1,
                                               .busy_for = 80000,
                                               .reset = 0.1,
                                               .power = 0.2,
                                               .death = 0.005,
                                               .late = 1000000}};
}

static void nothing_can_be_left_out(const char *path, size_t most)
{
    struct family f = {.machine = pair_load(path)};
    struct subjects subjects = {&f, make, release};
    struct search_options o = usual();
    struct search_result r;
    struct motet_error e = {""};
    struct minimise_work work;
    struct check_subject s;
    assert_true(search_run(&o, &subjects, NULL, NULL, &r, &e));
    assert_true(r.found);
    struct violation was = r.violation;
    assert_true(make(&f, &s, &e));
    struct world *w = world_new(&s);
    minimise(w, &o, &(struct minimise_options){.rewalks = 60}, &r.trace, &r.violation, &work);
    assert_in_range(r.trace.count, 1, most);
    assert_true(r.trace.count < work.before);
    struct violation again = search_replay(w, &o, &r.trace, r.violation.at + MS, NULL);
    assert_true(violation_same(&again, &was));
    assert_int_equal(again.at, r.violation.at);
    for (size_t i = 0; i < r.trace.count; i++) {
        struct trace less = {.list = NULL};
        for (size_t k = 0; k < r.trace.count; k++)
            if (k != i)
                trace_add(&less, &r.trace.list[k]);
        struct violation v = search_replay(w, &o, &less, r.violation.at + MS, NULL);
        if (violation_same(&v, &was))
            fail_msg("choice %zu of %zu can be left out", i, r.trace.count);
        trace_free(&less);
    }
    world_free(w);
    release(&f, &s);
    search_result_free(&r);
    machine_free(f.machine);
}

static void counterexamples_are_minimal(void **state)
{
    (void)state;
    nothing_can_be_left_out(FIRMWARE_DIR "/dip-micaz-dip-bound-checked.elf", 6);
    nothing_can_be_left_out(FIRMWARE_DIR "/dhv-micaz-dhv-index-checked.elf", 6);
}

/* ---- bounded searches against plain enumeration ---- */

/* Every plan with exactly so many deviations more, each executed from the steady state, in the order of enumeration. */
static bool enumerate(struct world *w, const struct search_options *o, const struct trace *plan, unsigned depth,
                      struct trace *found, struct violation *v)
{
    struct trace asked = {.list = NULL}, occasions = {.list = NULL};
    struct walk *walk = walk_new(world_network(w), &o->weights, 0, plan, NEVER);
    walk_note(walk, &asked);
    if (world_settle(w, plan->list, plan->count, o->steady, v))
        *v = world_run(w, walk_driver(walk), o->steady + o->length);
    walk_free(walk);
    bool failed = v->kind != VIOLATION_NONE && depth == 0;
    if (failed)
        trace_copy(found, plan->list, plan->count);
    if (depth)
        deviate_occasions(world_network(w), o, &asked, plan->count ? &plan->list[plan->count - 1] : NULL, &occasions);
    for (size_t i = 0; i < occasions.count && !failed; i++) {
        struct trace longer = {.list = NULL};
        trace_copy(&longer, plan->list, plan->count);
        trace_add(&longer, &occasions.list[i]);
        failed = enumerate(w, o, &longer, depth - 1, found, v);
        trace_free(&longer);
    }
    trace_free(&asked);
    trace_free(&occasions);
    return failed;
}

static void must_be_same(const struct trace *a, const struct trace *b, uint64_t seed)
{
    if (a->count != b->count)
        fail_msg("seed %llu: %zu deviations instead of %zu", (unsigned long long)seed, b->count, a->count);
    for (size_t i = 0; i < a->count; i++)
        if (choices_compare(&a->list[i], &b->list[i]) != 0 || a->list[i].outcome != b->list[i].outcome)
            fail_msg("seed %llu: deviation %zu differs", (unsigned long long)seed, i);
}

static unsigned compare(struct family *f, struct world *w, const struct search_options *o, unsigned limit)
{
    struct subjects subjects = {f, make, release};
    struct trace plan = {.list = NULL}, found = {.list = NULL};
    struct search_result r;
    struct motet_error e = {""};
    struct violation v = {VIOLATION_NONE, 0, 0, 0, 0};
    unsigned depth = 0, tried;
    while (!enumerate(w, o, &plan, depth, &found, &v) && depth < limit)
        depth++;
    assert_true(deviate_run(o, 1, limit, &subjects, NULL, NULL, &r, &tried, &e));
    assert_int_equal(r.found, v.kind != VIOLATION_NONE && found.count == depth);
    if (r.found) {
        must_be_same(&found, &r.trace, f->value);
        assert_true(violation_same(&r.violation, &v));
        assert_int_equal(r.violation.at, v.at);
    } else {
        assert_int_equal(tried, limit);
    }
    trace_free(&found);
    search_result_free(&r);
    return r.found ? depth : limit + 1;
}

static void bounded_searches_miss_nothing(void **state)
{
    struct family f = {.machine = pair_load(FIRMWARE_DIR "/check-system.elf"), .variable = "seed"};
    struct search_options o = {.steady = 10 * MS,
                               .length = 12 * MS,
                               .workers = 2,
                               .weights = {.lost = 0.1, .damaged = 0.1, .busy = 1, .busy_for = 4000, .reset = 1}};
    unsigned found[4] = {0};
    struct motet_error e = {""};
    (void)state;
    for (f.value = 1; f.value <= 200; f.value++) {
        struct check_subject s;
        assert_true(make(&f, &s, &e));
        struct world *w = world_new(&s);
        o.workers = 1 + f.value % 3;
        found[compare(&f, w, &o, 2)]++;
        world_free(w);
        release(&f, &s);
    }
    print_message("violations with 0, 1 and 2 deviations: %u, %u, %u; none: %u\n", found[0], found[1], found[2],
                  found[3]);
    assert_true(found[1] > 10 && found[2] > 10 && found[3] > 10);
    machine_free(f.machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counterexamples_are_minimal),
        cmocka_unit_test(bounded_searches_miss_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
