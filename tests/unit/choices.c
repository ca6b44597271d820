/* Choices: defaults change nothing, each other outcome has its effect, and all of it survives snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "board/boards.h"
#include "check/walk.h"
#include "network/choices.h"
#include "network/network.h"
#include "node/taps.h"

#define MS UINT64_C(1000000)

static struct machine *plain, *holding;

static struct machine *load(bool holds)
{
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1, .holds = holds};
    struct image *image = image_load(FIRMWARE_DIR "/network-cc2420-busy.elf", &e);
    struct machine *m = image ? machine_new(board_micaz.chip, &board_micaz, image, &options, &e) : NULL;
    if (!m)
        print_error("%s\n", e.text);
    return m;
}

static int set_up(void **state)
{
    (void)state;
    plain = load(false);
    holding = load(true);
    return plain && holding ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    machine_free(plain);
    machine_free(holding);
    return 0;
}

static struct network *two(const struct machine *m, unsigned threads)
{
    struct network *n = network_new(1, threads, &medium_default);
    for (uint32_t i = 0; i < 2; i++) {
        struct motet_error e = {""};
        struct network_node o = {.id = 3 + i, .at = {10.0 * i, 0, 0}, .boot = i * 3700000};
        struct node *node = network_add(n, m, &o, &e);
        assert_non_null(node);
        assert_true(node_set_variable(node, "TOS_NODE_ID", 3 + i, &e));
    }
    return n;
}

static uint16_t variable(const struct network *n, uint32_t number, const char *name)
{
    uint32_t address, size;
    struct motet_error e;
    assert_true(machine_variable(plain, name, &address, &size, &e));
    return *(uint16_t *)(void *)(network_node(n, number)->data + address);
}

static uint32_t always_default(void *context, const struct choice *c)
{
    unsigned *asked = context;
    asked[c->source]++;
    assert_true(c->outcome > 1);
    return 0;
}

static void defaults_are_the_plain_run(void **state)
{
    unsigned asked[CHOICE_SOURCES] = {0};
    const struct chooser defaults = {.context = asked, .choose = always_default};
    struct network *a = two(plain, 1), *b = two(plain, 1), *c = two(holding, 1);
    (void)state;
    network_choose(b, &defaults);
    network_choose(c, &defaults);
    for (uint64_t at = 10 * MS; at <= 300 * MS; at += 10 * MS) {
        network_run(a, at), network_run(b, at), network_run(c, at);
        assert_true(digest_equal(network_digest(a), network_digest(b)));
        for (uint32_t i = 0; i < 2; i++) {
            const struct node *x = network_node(a, i), *y = network_node(c, i);
            assert_int_equal(x->state->instructions, y->state->instructions);
            assert_int_equal(x->state->now, y->state->now);
            assert_int_equal(x->state->random, y->state->random);
            assert_memory_equal(x->data, y->data, plain->data_size);
        }
    }
    assert_true(asked[CHOICE_FRAME] > 40 && asked[CHOICE_HOLD] > 40);
    network_free(a), network_free(b), network_free(c);
}

/* ---- frames ---- */

struct noted {
    struct choice list[4096];
    size_t count;
    uint32_t (*answer)(const struct choice *c);
};

static uint32_t note(void *context, const struct choice *c)
{
    struct noted *n = context;
    if (n->count < 4096)
        n->list[n->count++] = *c;
    return n->answer ? n->answer(c) : 0;
}

static uint32_t lose_all_at_3(const struct choice *c)
{
    return c->source == CHOICE_FRAME && c->node == 3 ? FRAME_LOST : 0;
}

static uint32_t damage_all_at_3(const struct choice *c)
{
    return c->source == CHOICE_FRAME && c->node == 3 ? FRAME_DAMAGED : 0;
}

static void frames_are_lost_and_damaged_where_they_should_be(void **state)
{
    static struct noted lost = {.answer = lose_all_at_3}, damaged = {.answer = damage_all_at_3};
    const struct chooser losing = {.context = &lost, .choose = note}, damaging = {.context = &damaged, .choose = note};
    struct network *a = two(plain, 1), *b = two(plain, 1), *c = two(plain, 1);
    (void)state;
    network_choose(b, &losing);
    network_choose(c, &damaging);
    network_run(a, 400 * MS), network_run(b, 400 * MS), network_run(c, 400 * MS);
    unsigned heard = variable(a, 0, "heard");
    assert_true(heard > 20);
    assert_int_equal(variable(a, 0, "damaged"), 0);
    assert_int_equal(variable(b, 0, "heard"), 0);
    assert_int_equal(variable(b, 0, "damaged"), 0);
    assert_int_equal(variable(b, 1, "heard"), variable(a, 1, "heard"));
    assert_int_equal(variable(c, 0, "heard"), 0);
    assert_true(variable(c, 0, "damaged") + 3u > heard); /* the check sequence shows it */
    assert_int_equal(variable(c, 1, "damaged"), 0);
    network_free(a), network_free(b), network_free(c);
}

/* One frame of many, by its name. */
static void a_choice_is_found_by_its_name(void **state)
{
    static struct noted all;
    struct choices table = {.list = NULL};
    const struct chooser noting = {.context = &all, .choose = note},
                         by_table = {.context = &table, .choose = choices_answer};
    struct network *a = two(plain, 1), *b = two(plain, 2);
    (void)state;
    network_choose(a, &noting);
    network_run(a, 200 * MS);
    for (size_t i = 0, seen = 0; i < all.count; i++)
        if (all.list[i].source == CHOICE_FRAME && all.list[i].node == 4 && ++seen == 5) {
            struct choice c = all.list[i];
            c.outcome = FRAME_LOST;
            choices_set(&table, &c);
            choices_set(&table, &c);
        }
    assert_int_equal(table.count, 1);
    network_choose(b, &by_table);
    network_run(b, 200 * MS);
    assert_int_equal(variable(b, 1, "heard"), variable(a, 1, "heard") - 1);
    assert_int_equal(variable(b, 0, "heard"), variable(a, 0, "heard"));
    choices_free(&table);
    network_free(a), network_free(b);
}

static void a_busy_channel_swallows_frames(void **state)
{
    struct network *a = two(plain, 1), *b = two(plain, 1);
    struct choice busy = {.source = CHOICE_BUSY, .node = 3, .outcome = 100000};
    (void)state;
    network_run(b, 100 * MS);
    assert_true(network_do(b, &busy));
    network_run(a, 200 * MS), network_run(b, 200 * MS);
    unsigned all = variable(a, 0, "heard"), left = variable(b, 0, "heard");
    assert_in_range(left, 1, all * 2 / 3);
    assert_int_equal(variable(b, 1, "heard"), variable(a, 1, "heard"));
    network_run(b, 400 * MS);
    assert_true(variable(b, 0, "heard") > left + 10);
    busy.node = 99;
    assert_false(network_do(b, &busy));
    network_free(a), network_free(b);
}

/* ---- interrupts ---- */

struct entries {
    uint64_t entered[512];
    size_t entry_count;
    unsigned line;
};

static void note_entry(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    struct entries *e = context;
    (void)handle;
    if (h->interrupt.line == e->line && e->entry_count < 512)
        e->entered[e->entry_count++] = h->tick;
}

static const uint64_t ticks_of_150us = 150 * 7372800 / 1000000;

static uint32_t hold_150us(const struct choice *c)
{
    return c->source == CHOICE_HOLD && c->node == 3 && c->ordinal == 7 ? 150 : 0;
}

static void an_interrupt_is_held_as_long_as_chosen(void **state)
{
    static struct noted held = {.answer = hold_150us};
    const struct chooser holds = {.context = &held, .choose = note};
    static struct entries x, y;
    struct network *a = two(plain, 1), *b = two(holding, 1), *first = two(holding, 1);
    (void)state;
    network_choose(first, &holds);
    network_run(first, 200 * MS);
    for (size_t i = 0; i < held.count; i++)
        if (hold_150us(&held.list[i]))
            x.line = y.line = held.list[i].other;
    network_choose(b, &holds);
    tap_hook(network_node(a, 0), MOTET_ON(INTERRUPT_ENTRY), note_entry, &x);
    tap_hook(network_node(b, 0), MOTET_ON(INTERRUPT_ENTRY), note_entry, &y);
    network_run(a, 200 * MS), network_run(b, 200 * MS);
    size_t late = 0, same = 0;
    for (size_t i = 0; i < x.entry_count && i < y.entry_count; i++) {
        uint64_t held_until = x.entered[i] + ticks_of_150us;
        late += y.entered[i] + 8 >= held_until && y.entered[i] <= held_until + 8;
        same += y.entered[i] == x.entered[i];
    }
    assert_int_equal(late, 1);
    assert_true(same >= 5);
    network_free(a), network_free(b), network_free(first);
}

/* Everything at once, cut by snapshots while lines are held, in one thread and two. */
static const struct weights mixed = {
    .lost = 0.2, .damaged = 0.2, .held = 0.5, .hold = 3000, .busy = 20, .busy_for = 5000, .reset = 5, .power = 5};

static uint64_t not_due(void *context)
{
    (void)context;
    return NEVER;
}

static void nothing(void *context)
{
    (void)context;
}

static size_t none_given(void *context)
{
    (void)context;
    return 0;
}

static void moved(void *context, uint64_t now, size_t given)
{
    (void)context, (void)now, (void)given;
}

static struct world *world_of(struct network *n)
{
    struct check_subject s = {.network = n, .due = not_due, .act = nothing, .given = none_given, .moved = moved};
    return world_new(&s);
}

static void walks_are_functions_of_seed_and_plan(void **state)
{
    struct network *n = two(holding, 1), *m = two(holding, 1);
    struct world *w = world_of(n), *v = world_of(m);
    struct violation error;
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        assert_true(world_settle(w, NULL, 0, 20 * MS, &error));
        assert_true(world_settle(v, NULL, 0, 20 * MS, &error));
        struct walk *walk = walk_new(n, &mixed, seed, NULL, 20 * MS);
        assert_int_equal(world_run(w, walk_driver(walk), 200 * MS).kind, VIOLATION_NONE);
        struct digest there = network_digest(n);
        assert_true(walk_trace(walk)->count > 20);

        /* The same choices from a plan, in pieces, with snapshots taken and restored on the way. */
        struct walk *again = walk_new(m, &mixed, 99, walk_trace(walk), NEVER);
        for (uint64_t at = 25 * MS; at <= 200 * MS; at += 5 * MS + 777) {
            world_run(v, walk_driver(again), at);
            struct moment *here = world_keep(v);
            struct digest now = network_digest(m);
            network_run(m, at + 3 * MS);
            world_back(v, here);
            assert_true(digest_equal(network_digest(m), now));
            moment_free(here);
        }
        world_run(v, walk_driver(again), 200 * MS);
        assert_true(digest_equal(network_digest(m), there));
        walk_free(again);
        walk_free(walk);
    }
    world_free(w), world_free(v);
    network_free(n), network_free(m);
}

static void ordinals_go_on_over_a_loss_of_power(void **state)
{
    static struct noted all;
    const struct chooser noting = {.context = &all, .choose = note};
    struct network *n = two(holding, 1);
    struct choice power = {.source = CHOICE_POWER, .node = 3, .outcome = 1};
    (void)state;
    network_choose(n, &noting);
    network_run(n, 100 * MS);
    assert_true(network_do(n, &power));
    network_run(n, 200 * MS);
    struct choices seen = {.list = NULL};
    size_t holds = 0;
    for (size_t i = 0; i < all.count; i++)
        if (all.list[i].source == CHOICE_HOLD) {
            assert_null(choices_find(&seen, &all.list[i])); /* no name twice */
            choices_set(&seen, &all.list[i]);
            holds++;
        }
    assert_true(holds > 20);
    choices_free(&seen);
    network_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_plain_run),
        cmocka_unit_test(frames_are_lost_and_damaged_where_they_should_be),
        cmocka_unit_test(a_choice_is_found_by_its_name),
        cmocka_unit_test(a_busy_channel_swallows_frames),
        cmocka_unit_test(an_interrupt_is_held_as_long_as_chosen),
        cmocka_unit_test(walks_are_functions_of_seed_and_plan),
        cmocka_unit_test(ordinals_go_on_over_a_loss_of_power),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
