/* A network's timeline: every position has one state however it is reached, across packets, sleep, resets, EEPROM and
 * flash writes; stops on any node are met at the same places both ways; and looking changes no node. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "board/boards.h"
#include "chip/chip.h"
#include "isa/isa.h"
#include "network/network.h"
#include "node/machine.h"
#include "timeline/timeline.h"
#include "unit/sanitized.h"

#define MS UINT64_C(1000000)

enum { NODES = 7, RADIOS = 4, SEEN = 400 };

static const struct {
    const char *firmware, *chip; /* no chip: a MICAz */
} roles[NODES] = {
    {"network-cc2420-busy", NULL},
    {"network-cc2420-busy", NULL},
    {"network-cc2420-busy", NULL},
    {"network-cc2420-beacon", NULL},
    {"power-boot-atmega128", "atmega128"},       /* programs itself */
    {"power-watchdog-atmega328p", "atmega328p"}, /* resets itself */
    {"power-eeprom-atmega328p", "atmega328p"},
};
static struct machine *machines[NODES];
static uint64_t random_state = 3;

static uint64_t random_below(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

static int set_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NODES; i++) {
        char path[256];
        struct motet_error e = {""};
        struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
        snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, roles[i].firmware);
        struct image *image = image_load(path, &e);
        const struct chip *chip = roles[i].chip ? chip_named(roles[i].chip) : board_micaz.chip;
        machines[i] = image ? machine_new(chip, roles[i].chip ? NULL : &board_micaz, image, &options, &e) : NULL;
        if (!machines[i]) {
            print_error("%s\n", e.text);
            return -1;
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i < NODES; i++)
        machine_free(machines[i]);
    return 0;
}

/* Together: all boot at once and without drift, so that many instructions begin at the same nanosecond. */
static struct network *mixed(bool together)
{
    struct medium_options o = medium_default;
    struct motet_error e = {""};
    o.loss = 0.05;
    struct network *n = network_new(5, 2, &o);
    for (uint32_t i = 0; i < NODES; i++) {
        struct network_node place = {.id = i, .at = {i * 5.0, 0, 0}};
        if (!together) {
            place.boot = i * 300000;
            place.drift = (double)i * 10 - 40;
        }
        struct node *node = network_add(n, machines[i], &place, &e);
        assert_non_null(node);
        if (i < RADIOS)
            assert_true(node_set_variable(node, "TOS_NODE_ID", i, &e));
    }
    return n;
}

/* Without a timeline, whichever node ends. */
static void run_plain(struct network *n, uint64_t until)
{
    while (network_now(n) < until)
        network_run(n, until);
}

struct seen {
    struct position at;
    struct digest digest;
};

static struct seen look(const struct timeline *t)
{
    return (struct seen){timeline_position(t), timeline_digest(t)};
}

static void must_match(const struct timeline *t, const struct seen *s, const char *how)
{
    struct seen now = look(t);
    if (!timeline_same(now.at, s->at) || !digest_equal(now.digest, s->digest))
        fail_msg("%s: at %llu ns, phase %d, node %u (%llu done) instead of %llu, %d, %u (%llu done), or another state",
                 how, (unsigned long long)now.at.now, now.at.phase, now.at.node,
                 (unsigned long long)now.at.instructions, (unsigned long long)s->at.now, s->at.phase, s->at.node,
                 (unsigned long long)s->at.instructions);
}

static void disturb(struct timeline *t)
{
    uint32_t node = (uint32_t)random_below(NODES);
    switch (random_below(5)) {
    case 0: timeline_give(t, node, INPUT_SERIAL, 0, 0, "abc", 3); break;
    case 1: timeline_give(t, node, INPUT_PIN, 8 + (uint32_t)random_below(8), 3, NULL, 0); break;
    case 2: timeline_give(t, node, INPUT_REGISTER, 5, (uint32_t)random_below(256), NULL, 0); break;
    case 3: timeline_give(t, node, INPUT_RESET, 0, 0, NULL, 0); break;
    default: timeline_give(t, node, INPUT_MEMORY, 0x3e, 0, "\x55", 1); break;
    }
}

/* One instruction of the next node, in the order of all. */
static struct timeline_event step(struct timeline *t)
{
    struct position p = timeline_position(t);
    return timeline_step(t, p.phase == PHASE_READY ? p.node : (uint32_t)random_below(RADIOS), TIMELINE_NEVER);
}

static size_t go_forward(struct timeline *t, struct seen *seen, bool disturbed)
{
    size_t count = 0;
    seen[count++] = look(t);
    while (count < SEEN) {
        if (random_below(3))
            step(t);
        else if (random_below(20))
            timeline_step(t, (uint32_t)random_below(RADIOS), TIMELINE_NEVER);
        else
            timeline_run_until(t, timeline_now(t) + random_below(400000));
        if (disturbed && random_below(100) == 0)
            disturb(t);
        if (timeline_before(seen[count - 1].at, timeline_position(t)))
            seen[count++] = look(t);
    }
    return count;
}

static void go_about(struct timeline *t, const struct seen *seen, size_t count)
{
    for (unsigned i = 0; i < 30; i++) {
        size_t at = random_below(count);
        timeline_go(t, seen[at].at);
        must_match(t, &seen[at], "seeking");
        uint32_t node = (uint32_t)random_below(NODES);
        struct position p = timeline_position(t);
        if (p.phase == PHASE_READY && p.node == node) { /* there and back again */
            timeline_step_back(t, node);
            if (timeline_step(t, node, TIMELINE_NEVER).why == TIMELINE_REACHED) /* no node ended in between */
                must_match(t, &seen[at], "a step back and one forward");
            timeline_go(t, seen[at].at);
        }
        for (size_t k = at + 1; k < count && k < at + 5; k++) {
            timeline_go(t, seen[k].at);
            must_match(t, &seen[k], "going on");
        }
    }
}

static void back_and_forth(bool together, bool disturbed, size_t memory)
{
    struct seen *seen = calloc(SEEN, sizeof *seen);
    struct network *n = mixed(together);
    struct timeline *t = timeline_new(subject_of_network(n), memory, NULL, NULL);
    struct seen begin = look(t);
    for (unsigned part = 0; part < 2; part++) {
        size_t count = go_forward(t, seen, disturbed);
        go_about(t, seen, count);
        timeline_go(t, seen[count - 1].at);
        must_match(t, &seen[count - 1], "returning");
        timeline_run_until(t, timeline_now(t) + MS * (1 + random_below(60)));
    }
    timeline_seek(t, 0);
    must_match(t, &begin, "the beginning");
    timeline_free(t);
    network_free(n);
    free(seen);
}

static void going_back_is_exact(void **state)
{
    (void)state;
    back_and_forth(false, false, TIMELINE_MEMORY);
    back_and_forth(true, false, TIMELINE_MEMORY);
}

static void inputs_come_again(void **state)
{
    (void)state;
    back_and_forth(false, true, TIMELINE_MEMORY);
    back_and_forth(true, true, TIMELINE_MEMORY);
}

static void little_memory_is_enough(void **state)
{
    (void)state;
    back_and_forth(false, false, 0);
}

/* Stepping back one node's instruction after the other gives what stepping forward gave. */
static void steps_of_one_node(void **state)
{
    (void)state;
    enum { STEPS = SANITIZED_SHARE > 1 ? 120 : 300 };
    static struct seen seen[STEPS];
    struct network *n = mixed(false);
    struct timeline *t = timeline_new(subject_of_network(n), TIMELINE_MEMORY, NULL, NULL);
    for (uint32_t node = NODES; node-- > 0;) {
        unsigned count = 0;
        timeline_run_until(t, timeline_now(t) + 2 * MS);
        while (timeline_step(t, node, TIMELINE_NEVER).why == TIMELINE_REACHED && count < STEPS) {
            seen[count++] = look(t);
            if (seen[count - 1].at.phase != PHASE_READY || seen[count - 1].at.node != node)
                fail_msg("node %u is not next after its step %u", node, count);
        }
        assert_true(count > 100);
        while (count-- > 0) {
            assert_int_equal(timeline_step_back(t, node).why, TIMELINE_REACHED);
            must_match(t, &seen[count], "stepping back");
        }
    }
    timeline_free(t);
    network_free(n);
}

/* Looking changes nothing: a run full of stops ends as one without. */
static void stops_change_nothing(void **state)
{
    (void)state;
    struct network *plain = mixed(false), *n = mixed(false);
    struct timeline *t = timeline_new(subject_of_network(n), TIMELINE_MEMORY, NULL, NULL);
    uint32_t address = image_symbol_named(machines[0]->image, "main")->address;
    uint16_t heard = (uint16_t)image_symbol_named(machines[0]->image, "heard")->address;
    struct watch watch = {heard, heard + 1u, WATCH_WRITE};
    for (uint32_t i = 0; i < 3; i++)
        stops_set(network_node(n, i), &address, 1, &watch, 1);
    unsigned stops = 0, watches = 0;
    for (;;) {
        struct timeline_event e = random_below(3) ? timeline_run_until(t, 100 * MS) : step(t);
        stops += e.why == TIMELINE_STOP;
        watches += e.why == TIMELINE_WATCH;
        if (timeline_now(t) >= 100 * MS)
            break;
    }
    assert_int_equal(stops, 3);
    assert_true(watches > 20);
    timeline_seek(t, 100 * MS);
    run_plain(plain, 100 * MS);
    for (uint32_t i = 0; i < NODES; i++)
        assert_true(digest_equal(node_digest(network_node(plain, i)), node_digest(network_node(n, i))));
    timeline_free(t);
    network_free(n);
    network_free(plain);
}

/* The same meetings forward and backward, on several nodes at once, or on one of them, the others left out. */
static void meet_both_ways(bool together, bool one)
{
    enum { HITS = 120 };
    static struct seen hit[HITS];
    uint32_t nodes[HITS];
    struct network *n = mixed(together);
    struct timeline *t = timeline_new(subject_of_network(n), TIMELINE_MEMORY, NULL, NULL);
    const struct image *image = machines[0]->image;
    uint16_t heard = (uint16_t)image_symbol_named(image, "heard")->address;
    uint32_t address = image_symbol_named(image, "__vector_12")->address; /* TIMER1_COMPA */
    struct watch watch = {heard, heard + 1u, WATCH_WRITE};
    if (one && !together) { /* what was said in a future that is no more is not said again */
        timeline_run_until(t, 400 * MS);
        timeline_seek(t, 2 * MS / 5);
        assert_true(timeline_give(t, 0, INPUT_RESET, 0, 0, NULL, 0));
    }
    for (uint32_t i = one ? RADIOS - 2 : 0; i < RADIOS - 1; i++)
        stops_set(network_node(n, i), &address, i != 1, &watch, i != 0);
    for (unsigned i = 0; i < HITS; i++) {
        struct timeline_event e;
        do
            e = timeline_run_until(t, TIMELINE_NEVER);
        while (e.why == TIMELINE_EXIT);
        assert_true(e.why == TIMELINE_STOP || e.why == TIMELINE_WATCH);
        nodes[i] = e.node;
        if (e.why == TIMELINE_WATCH) { /* remember the place before the instruction, as going back finds it */
            struct position here = timeline_position(t);
            timeline_step_back(t, e.node);
            hit[i] = look(t);
            timeline_go(t, here);
        } else {
            hit[i] = look(t);
        }
    }
    timeline_seek(t, timeline_now(t) + 10);
    for (unsigned i = HITS; i-- > 0;) {
        struct timeline_event e = timeline_run_back(t);
        assert_int_equal(e.node, nodes[i]);
        must_match(t, &hit[i], "running back");
    }
    assert_int_equal(timeline_run_back(t).why, TIMELINE_BEGIN);
    timeline_free(t);
    network_free(n);
}

static void stops_are_the_same_both_ways(void **state)
{
    (void)state;
    meet_both_ways(false, false);
    meet_both_ways(true, false);
    meet_both_ways(false, true);
    meet_both_ways(true, true);
}

/* Where everybody sleeps there is nothing to run again: few snapshots, and yet one just before whatever was done. */
static void nights_need_no_snapshots(void **state)
{
    enum { POINTS = 50, SECONDS = 5, SPACING = 10, PAIR = 2 };
    struct motet_error e = {""};
    struct network *n = network_new(5, 1, &medium_default);
    for (uint32_t i = 0; i < PAIR; i++)
        assert_non_null(network_add(n, machines[RADIOS - 1], &(struct network_node){.id = i, .boot = i * 9 * MS}, &e));
    struct timeline *t = timeline_new(subject_of_network(n), TIMELINE_MEMORY, NULL, NULL);
    (void)state;
    timeline_run_until(t, SECONDS * 1000 * MS);
    assert_in_range(timeline_snapshots(t), SECONDS * PAIR, 1000 / SPACING * SECONDS / 4);
    for (unsigned i = 0; i < POINTS; i++) {
        timeline_seek(t, 100 * MS + random_below((SECONDS * 1000 - 100) * MS));
        uint64_t before = timeline_run(t), worked = timeline_work(t);
        assert_int_equal(timeline_step_back(t, i % PAIR).why, TIMELINE_REACHED);
        assert_true(timeline_run(t) - before <= 2 * SPACING * MS);
        assert_true(timeline_work(t) > worked);
    }
    timeline_free(t);
    network_free(n);
}

/* An actor kills and boots nodes and cuts links: that comes again too, and as in a run without a timeline. */
enum { ACTS = 7 };

struct script {
    struct network *network;
    unsigned done;
};

static uint64_t script_next(void *context)
{
    const struct script *s = context;
    return s->done < ACTS ? (10 + 7 * s->done) * MS + 333 : TIMELINE_NEVER;
}

static void script_act(void *context)
{
    struct script *s = context;
    uint32_t node = s->done / 2;
    if (s->done == 4)
        medium_link_down(network_medium(s->network), 0, 3, true);
    else if (s->done == ACTS - 1)
        ; /* a moment at which both have handed over the same */
    else if (s->done % 2 == 0)
        network_kill(s->network, node);
    else
        network_boot(s->network, node);
    s->done++;
}

static void actors_are_asked_once(void **state)
{
    (void)state;
    enum { POINTS = 60 };
    static struct seen seen[POINTS];
    struct network *plain = mixed(false), *n = mixed(false);
    struct script script = {.network = n}, other = {.network = plain};
    struct timeline *t = timeline_new(subject_of_network(n), 1 << 20, NULL, NULL);
    timeline_actor(t, (struct timeline_actor){&script, script_next, script_act});
    for (unsigned i = 0; i < POINTS; i++) {
        timeline_seek(t, (i + 1) * MS);
        if (i % 3)
            timeline_step(t, 3, TIMELINE_NEVER);
        seen[i] = look(t);
    }
    assert_int_equal(script.done, ACTS);
    for (unsigned i = 0; i < 200; i++) {
        unsigned at = (unsigned)random_below(POINTS);
        timeline_go(t, seen[at].at);
        must_match(t, &seen[at], "with an actor");
    }
    assert_int_equal(script.done, ACTS);
    while (script_next(&other) != TIMELINE_NEVER) {
        run_plain(plain, script_next(&other));
        script_act(&other);
    }
    timeline_seek(t, network_now(plain));
    for (uint32_t i = 0; i < NODES; i++)
        assert_true(digest_equal(node_digest(network_node(plain, i)), node_digest(network_node(n, i))));
    timeline_free(t);
    network_free(n);
    network_free(plain);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_of_one_node),     cmocka_unit_test(going_back_is_exact),
        cmocka_unit_test(inputs_come_again),     cmocka_unit_test(little_memory_is_enough),
        cmocka_unit_test(stops_change_nothing),  cmocka_unit_test(stops_are_the_same_both_ways),
        cmocka_unit_test(actors_are_asked_once), cmocka_unit_test(nights_need_no_snapshots),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
