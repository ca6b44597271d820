/* Causal order of random executions against the true one, which the generator knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "merge/causal.h"

enum { NODES = 7, EVENTS = 600, FLYING = 64 };

static uint32_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*random >> 33);
}

/* ---- an execution ---- */

struct kind_of_run {
    uint32_t contents; /* packets have one of so many contents; 0: each its own */
    bool copies;       /* packets are repeated, and any copy may arrive */
    bool clockless;
    bool named;     /* packets name their sender */
    uint64_t quiet; /* nanoseconds between the packets of a node */
};

struct event {
    uint64_t time; /* the true one */
    uint64_t content;
    uint32_t kind, packet;   /* of a send or receive: the true first copy, an index into this list */
    uint32_t clock[NODES];   /* the true vector clock */
    uint32_t node, position; /* on its node */
};

struct flying {
    uint64_t due;
    uint32_t to, packet;
};

struct run {
    struct kind_of_run kind;
    uint64_t random;
    struct event events[EVENTS]; /* by true time */
    uint32_t count, on_node[NODES];
    struct flying flying[FLYING];
    uint32_t flying_count;
    uint64_t free[NODES], last_due[NODES][NODES];
    uint32_t repeats[NODES], packet[NODES];
    uint64_t offset[NODES];
    int32_t drift[NODES]; /* ppm */
};

static struct event *run_event(struct run *r, uint64_t time, uint32_t node, uint32_t kind)
{
    struct event *e = &r->events[r->count];
    *e = (struct event){.time = time, .kind = kind, .node = node, .packet = r->count, .position = r->on_node[node]++};
    for (uint32_t i = r->count++; i-- > 0;)
        if (r->events[i].node == node) {
            memcpy(e->clock, r->events[i].clock, sizeof e->clock);
            break;
        }
    e->clock[node] = e->position + 1;
    return e;
}

static void run_launch(struct run *r, uint64_t time, uint32_t from, uint32_t packet)
{
    for (uint32_t to = 0; to < NODES; to++) {
        if (to == from || draw(&r->random) % 3 == 0 || r->flying_count == FLYING)
            continue;
        uint64_t due = time + 300000 + draw(&r->random) % 3000000;
        due = due <= r->last_due[from][to] ? r->last_due[from][to] + 1 : due;
        r->last_due[from][to] = due;
        r->flying[r->flying_count++] = (struct flying){due, to, packet};
    }
}

static void run_send(struct run *r, uint64_t time, uint32_t node)
{
    struct event *e = run_event(r, time, node, CAUSAL_SEND);
    if (r->repeats[node]) {
        r->repeats[node]--;
        e->packet = r->packet[node];
        e->content = r->events[e->packet].content;
    } else {
        e->content = r->kind.contents ? 1 + draw(&r->random) % r->kind.contents : 1000 + r->count;
        e->content += r->kind.named ? 100 * node : 0;
        r->packet[node] = r->count - 1;
        r->repeats[node] = r->kind.copies ? draw(&r->random) % 4 : 0;
    }
    r->free[node] = time + (r->repeats[node] ? 8000000 : r->kind.quiet);
    run_launch(r, time, node, e->packet);
}

static void run_receive(struct run *r, struct flying f)
{
    struct event *e = run_event(r, f.due, f.to, CAUSAL_RECEIVE);
    const struct event *s = &r->events[f.packet];
    e->packet = f.packet;
    e->content = s->content;
    for (uint32_t i = 0; i < NODES; i++)
        e->clock[i] = s->clock[i] > e->clock[i] ? s->clock[i] : e->clock[i];
}

static void run_make(struct run *r, uint64_t seed, struct kind_of_run kind)
{
    memset(r, 0, sizeof *r);
    r->kind = kind;
    r->random = seed;
    for (uint32_t i = 0; i < NODES; i++) {
        r->offset[i] = draw(&r->random) % 1000 * UINT64_C(100000000);
        r->drift[i] = (int32_t)(draw(&r->random) % 200) - 100;
    }
    for (uint64_t time = 0; r->count < EVENTS; time += 100000 + draw(&r->random) % 900000) {
        for (uint32_t i = 0; i < r->flying_count && r->count < EVENTS;)
            if (r->flying[i].due <= time) {
                uint32_t first = i; /* in the order of time */
                for (uint32_t k = i; k < r->flying_count; k++)
                    first = r->flying[k].due < r->flying[first].due ? k : first;
                struct flying f = r->flying[first];
                r->flying[first] = r->flying[--r->flying_count];
                run_receive(r, f);
                i = 0;
            } else {
                i++;
            }
        uint32_t node = draw(&r->random) % NODES;
        if (r->count == EVENTS)
            break;
        if (r->free[node] <= time && (r->repeats[node] || draw(&r->random) % 4 == 0))
            run_send(r, time, node);
        else if (!r->repeats[node])
            run_event(r, time, node, CAUSAL_OTHER);
    }
}

/* ---- what is made of its logs ---- */

static uint64_t run_local(const struct run *r, const struct event *e)
{
    return r->offset[e->node] + e->time + (uint64_t)((int64_t)(e->time / 1000) * r->drift[e->node] / 1000);
}

static struct causal *run_merge(const struct run *r)
{
    struct causal *c = causal_new(&(struct causal_options){
        .delay = 10000000, .copies = r->kind.copies ? 100000000 : 0, .clockless = r->kind.clockless});
    for (uint32_t node = 0; node < NODES; node++) {
        assert_int_equal(causal_node(c), node);
        for (uint32_t i = 0; i < r->count; i++) {
            const struct event *e = &r->events[i];
            uint64_t time = r->kind.clockless ? e->position : run_local(r, e);
            uint32_t from = r->kind.named && e->kind == CAUSAL_RECEIVE ? r->events[e->packet].node : CAUSAL_ANYONE;
            if (e->node == node)
                causal_add(c, &(struct causal_event){
                                  .time = time, .content = e->content, .detail = i, .kind = e->kind, .from = from});
        }
    }
    causal_merge(c);
    return c;
}

struct walked {
    const struct run *run;
    const struct causal *causal;
    uint32_t count, counts[NODES];
    bool exact;
    uint64_t time;
};

/* Nothing is ordered that is concurrent; where each content has one send nothing is missing either. */
static void check_step(void *context, uint32_t event, const uint32_t *clock)
{
    struct walked *w = context;
    const struct causal_event *is = causal_event(w->causal, event);
    const struct event *e = &w->run->events[is->detail];
    uint32_t past[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        assert_true(clock[i] <= e->clock[i]);
        assert_true(!w->exact || clock[i] == e->clock[i]);
        assert_true(w->counts[i] >= clock[i] - (i == e->node)); /* causes come first */
    }
    causal_past(w->causal, event, past);
    assert_memory_equal(past, clock, sizeof past);
    assert_int_equal(w->counts[e->node]++, e->position);
    assert_true(is->time >= w->time);
    w->time = is->time;
    w->count++;
    uint32_t cause = causal_cause(w->causal, event);
    if (is->kind == CAUSAL_RECEIVE && cause != CAUSAL_NONE)
        assert_true(causal_event(w->causal, cause)->time < is->time);
    if (w->exact && e->kind != CAUSAL_OTHER && e->packet != is->detail)
        assert_int_equal(causal_event(w->causal, cause)->detail, e->packet);
}

static struct causal_counts check(const struct run *r, bool exact)
{
    struct causal *c = run_merge(r);
    struct causal_counts counts;
    const struct causal_finding *findings;
    struct walked w = {.run = r, .causal = c, .exact = exact};
    causal_walk(c, check_step, &w);
    assert_int_equal(w.count, r->count);
    assert_int_equal(causal_findings(c, &findings), 0);
    causal_counts(c, &counts);
    causal_free(c);
    return counts;
}

static void contents_of_their_own_give_the_exact_order(void **state)
{
    static struct run r;
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        run_make(&r, seed, (struct kind_of_run){.copies = seed % 2, .clockless = seed % 4 == 2, .quiet = 20000000});
        struct causal_counts counts = check(&r, true);
        assert_int_equal(counts.matched, counts.receives);
        assert_int_equal(counts.undecided + counts.weaker, 0);
        assert_true(counts.farthest < 20000000);
    }
}

static void clocks_tell_equal_contents_apart(void **state)
{
    static struct run r;
    struct causal_counts sum = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        run_make(&r, seed, (struct kind_of_run){.contents = 40, .quiet = 40000000, .named = true});
        struct causal_counts counts = check(&r, true);
        sum.receives += counts.receives;
        sum.weaker += counts.weaker + counts.undecided;
    }
    assert_true(sum.receives > 4000);
    assert_int_equal(sum.weaker, 0);
}

static void without_clocks_the_order_is_weaker_and_true(void **state)
{
    static struct run r;
    struct causal_counts sum = {0};
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        run_make(&r, seed,
                 (struct kind_of_run){
                     .contents = 5, .clockless = true, .named = seed % 2, .copies = seed % 3 == 0, .quiet = 20000000});
        struct causal_counts counts = check(&r, false);
        sum.weaker += counts.weaker;
        sum.undecided += counts.undecided;
        sum.matched += counts.matched;
    }
    assert_true(sum.weaker > 1000 && sum.undecided > 1000 && sum.matched > 3000);
}

static void copies_of_a_packet_are_one(void **state)
{
    struct causal *c = causal_new(&(struct causal_options){.delay = 0});
    struct causal_counts counts;
    (void)state;
    causal_node(c);
    for (uint64_t time = 0; time < 40000000; time += 10000000)
        causal_add(c, &(struct causal_event){.time = time, .content = 7, .kind = CAUSAL_SEND});
    causal_add(c, &(struct causal_event){.time = 1000000000, .content = 7, .kind = CAUSAL_SEND});
    causal_node(c);
    causal_add(c, &(struct causal_event){.time = 31000000, .content = 7, .kind = CAUSAL_RECEIVE, .from = 0});
    causal_merge(c);
    causal_counts(c, &counts);
    assert_int_equal(counts.copies, 3);
    assert_int_equal(causal_cause(c, 3), 0);
    assert_int_equal(causal_cause(c, 4), CAUSAL_NONE);
    assert_int_equal(causal_cause(c, 5), 0);
    assert_int_equal(causal_effects(c, 0), 1);
    assert_int_equal(counts.lost, 1);
    causal_free(c);
}

/* ---- what is wrong with logs ---- */

static void add(struct causal *c, uint64_t time, enum causal_kind kind, uint64_t content, uint32_t from)
{
    causal_add(c, &(struct causal_event){.time = time, .content = content, .kind = kind, .from = from});
}

static const uint64_t second = 1000000000;

static void a_cycle_is_found_and_broken(void **state)
{
    struct causal *c = causal_new(&(struct causal_options){.delay = 0});
    const struct causal_finding *f;
    (void)state;
    causal_node(c);
    add(c, 0, CAUSAL_RECEIVE, 2, CAUSAL_ANYONE);
    add(c, second, CAUSAL_SEND, 1, 0);
    causal_node(c);
    add(c, 0, CAUSAL_RECEIVE, 1, CAUSAL_ANYONE);
    add(c, second, CAUSAL_SEND, 2, 0);
    causal_merge(c);
    assert_int_equal(causal_findings(c, &f), 1);
    assert_int_equal(f[0].wrong, CAUSAL_CYCLE);
    assert_int_equal(causal_cause(c, f[0].event), CAUSAL_NONE);
    assert_true(causal_before(c, 1, 3) != causal_before(c, 3, 1));
    causal_free(c);
}

static void a_clock_that_runs_backward_is_found(void **state)
{
    struct causal *c = causal_new(&(struct causal_options){.delay = 0});
    const struct causal_finding *f;
    (void)state;
    causal_node(c);
    add(c, second, CAUSAL_OTHER, 0, 0);
    add(c, second / 2, CAUSAL_OTHER, 0, 0);
    add(c, 2 * second, CAUSAL_OTHER, 0, 0);
    causal_cut(c, CAUSAL_NEW_CLOCK); /* a reset */
    add(c, 0, CAUSAL_OTHER, 0, 0);
    causal_merge(c);
    assert_int_equal(causal_findings(c, &f), 1);
    assert_int_equal(f[0].wrong, CAUSAL_BACKWARD);
    assert_int_equal(f[0].event, 1);
    assert_true(causal_event(c, 3)->time >= causal_event(c, 2)->time);
    causal_free(c);
}

/* A second node receives at 5 s what no log has; the first has events up to `end` and misses some if `lost`. */
static size_t found_without_send(uint64_t end, bool lost, uint32_t from, struct causal_counts *counts)
{
    struct causal *c = causal_new(&(struct causal_options){.delay = 0});
    const struct causal_finding *f;
    causal_node(c);
    add(c, 0, CAUSAL_SEND, 1, 0);
    add(c, 4 * second, CAUSAL_OTHER, 0, 0);
    if (lost)
        causal_cut(c, CAUSAL_LOST);
    add(c, end, CAUSAL_OTHER, 0, 0);
    causal_node(c);
    add(c, 1000000, CAUSAL_RECEIVE, 1, 0);
    add(c, 5 * second, CAUSAL_RECEIVE, 9, from);
    causal_merge(c);
    size_t found = causal_findings(c, &f);
    causal_counts(c, counts);
    assert_true(!found || (f[0].wrong == CAUSAL_NO_SEND && f[0].event == 4));
    causal_free(c);
    return found;
}

static void what_nobody_sent_is_found_unless_a_log_ends(void **state)
{
    struct causal_counts counts;
    (void)state;
    assert_int_equal(found_without_send(9 * second, false, CAUSAL_ANYONE, &counts), 1);
    assert_int_equal(found_without_send(9 * second, false, 0, &counts), 1);
    assert_int_equal(found_without_send(9 * second, true, 0, &counts), 0);
    assert_int_equal(counts.beyond, 1);
    assert_int_equal(found_without_send(9 * second / 2, false, 0, &counts), 0);
    assert_int_equal(counts.beyond, 1);
    assert_int_equal(found_without_send(9 * second, false, CAUSAL_STRANGER, &counts), 0);
    assert_int_equal(counts.strangers, 1);
}

static void nothing_is_merged_too(void **state)
{
    struct causal *c = causal_new(&(struct causal_options){.delay = 0});
    (void)state;
    causal_merge(c);
    assert_int_equal(causal_walk(c, check_step, NULL), 0);
    causal_free(c);
    c = causal_new(&(struct causal_options){.delay = 0});
    causal_node(c);
    causal_node(c);
    add(c, UINT64_MAX, CAUSAL_RECEIVE, 1, CAUSAL_ANYONE);
    causal_node(c);
    causal_merge(c);
    assert_int_equal(causal_count(c), 1);
    causal_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_of_their_own_give_the_exact_order),
        cmocka_unit_test(clocks_tell_equal_contents_apart),
        cmocka_unit_test(without_clocks_the_order_is_weaker_and_true),
        cmocka_unit_test(copies_of_a_packet_are_one),
        cmocka_unit_test(a_cycle_is_found_and_broken),
        cmocka_unit_test(a_clock_that_runs_backward_is_found),
        cmocka_unit_test(what_nobody_sent_is_found_unless_a_log_ends),
        cmocka_unit_test(nothing_is_merged_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
