/* Networks of small nodes with the test radio: the same life whatever the threads, the cuts and the looking on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board/boards.h"
#include "network/network.h"
#include "network/test_radio.h"
#include "node/taps.h"

enum { NODES = 9 };
#define MS UINT64_C(1000000)

static struct machine *simple, *micaz, *machine; /* the last is one of the others */

static struct machine *load(const char *path, const struct board *board)
{
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(board->chip, board, image, &options, &e) : NULL;
    if (!m)
        print_error("%s\n", e.text);
    return m;
}

static int set_up(void **state)
{
    (void)state;
    simple = load(FIRMWARE_DIR "/network-beacon.elf", &test_radio_board);
    micaz = load(FIRMWARE_DIR "/network-cc2420-busy.elf", &board_micaz);
    return simple && micaz ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    machine_free(simple);
    machine_free(micaz);
    return 0;
}

static int use_simple(void **state)
{
    (void)state;
    machine = simple;
    return 0;
}

static int use_micaz(void **state)
{
    (void)state;
    machine = micaz;
    return 0;
}

static struct node *add(struct network *n, uint32_t id, double x, double y, uint64_t boot, double drift)
{
    struct motet_error e = {""};
    struct network_node o = {.id = id, .at = {x, y, 0}, .boot = boot, .drift = drift};
    struct node *node = network_add(n, machine, &o, &e);
    if (!node)
        fail_msg("%s", e.text);
    assert_true(node_set_variable(node, "TOS_NODE_ID", id, &e));
    return node;
}

/* Three by three, 10 m apart, booting and drifting each in its own way. */
static struct network *grid(unsigned threads, uint64_t seed)
{
    struct medium_options o = medium_default;
    o.shadowing = 4;
    o.loss = 0.05;
    struct network *n = network_new(seed, threads, &o);
    for (uint32_t i = 0; i < NODES; i++)
        add(n, i, i % 3 * 10.0, i / 3 * 10.0, i * 700000, (double)i * 10 - 40);
    return n;
}

static uint32_t variable(const struct network *n, uint32_t number, const char *name, unsigned index)
{
    uint32_t address, size;
    struct motet_error e;
    const struct node *node = network_node(n, number);
    assert_true(machine_variable(machine, name, &address, &size, &e));
    if (size <= 4 && index == 0)
        return size == 4 ? *(uint32_t *)(node->data + address) : *(uint16_t *)(node->data + address);
    return *(uint16_t *)(node->data + address + 2 * index);
}

static void must_be_same(struct digest a, struct digest b, const char *what)
{
    char x[DIGEST_TEXT], y[DIGEST_TEXT];
    digest_print(a, x);
    digest_print(b, y);
    if (strcmp(x, y) != 0)
        fail_msg("%s: %s is not %s", what, x, y);
}

static struct digest life(unsigned threads, uint64_t seed, uint64_t until)
{
    struct network *n = grid(threads, seed);
    assert_int_equal(network_run(n, until), NETWORK_TIME);
    assert_int_equal(network_now(n), until);
    struct digest d = network_digest(n);
    network_free(n);
    return d;
}

static void two_nodes_hear_each_other(void **state)
{
    struct network *n = network_new(1, 1, &medium_default);
    (void)state;
    add(n, 3, 0, 0, 0, 0);
    add(n, 5, 10, 0, 3 * MS, 0);
    assert_int_equal(network_run(n, 1000 * MS), NETWORK_TIME);
    assert_in_range(variable(n, 0, "said", 0), 97, 100);
    /* All that began and ended in time, but for where they overlap. */
    assert_in_range(variable(n, 0, "heard_from", 5), 80, variable(n, 1, "said", 0));
    assert_in_range(variable(n, 1, "heard_from", 3), 80, variable(n, 0, "said", 0));
    /* 0 dBm less 40 dB for the first metre and 30 dB for a decade more. */
    uint32_t address, size;
    struct motet_error e;
    assert_true(machine_variable(machine, "strength_from", &address, &size, &e));
    assert_int_equal((int8_t)network_node(n, 0)->data[address + 5], -70);
    network_free(n);
}

static void threads_make_no_difference(void **state)
{
    struct digest one = life(1, 7, 300 * MS);
    (void)state;
    must_be_same(life(2, 7, 300 * MS), one, "two threads");
    must_be_same(life(8, 7, 300 * MS), one, "eight threads");
    struct digest other = life(1, 8, 300 * MS);
    assert_false(digest_equal(one, other));
}

static void a_hundred_lives_are_one(void **state)
{
    struct digest first = life(1, 7, 60 * MS);
    (void)state;
    for (unsigned i = 0; i < 100; i++)
        must_be_same(life(1 + i % 3, 7, 60 * MS), first, "repeated");
}

static void cuts_make_no_difference(void **state)
{
    struct digest whole = life(1, 7, 100 * MS);
    struct network *n = grid(2, 7);
    uint64_t random = 1;
    (void)state;
    while (network_now(n) < 100 * MS) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t to = network_now(n) + (random >> 33) % 70000;
        assert_int_equal(network_run(n, to < 100 * MS ? to : 100 * MS), NETWORK_TIME);
    }
    must_be_same(network_digest(n), whole, "in pieces");
    network_free(n);
}

struct count {
    unsigned messages, begun, pins;
    uint64_t last;
    bool on_air;
};

static void count_messages(void *context, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    struct count *c = context;
    assert_true(node < NODES && nanosecond >= c->last);
    c->last = nanosecond;
    c->messages++;
    c->begun += m->kind == AIR_BEGIN;
}

static void count_pins(void *context, const struct motet_node *handle, const struct motet_happened *h)
{
    (void)handle, (void)h;
    ++*(unsigned *)context;
}

static void looking_on_makes_no_difference(void **state)
{
    struct digest alone = life(2, 7, 100 * MS);
    struct network *n = grid(2, 7);
    struct count c = {0};
    unsigned pins[NODES] = {0};
    (void)state;
    network_observe(n, &(struct network_observer){.context = &c, .sent = count_messages});
    for (uint32_t i = 0; i < NODES; i++)
        tap_hook(network_node(n, i), MOTET_ON(PIN), count_pins, &pins[i]);
    network_run(n, 100 * MS);
    must_be_same(network_digest(n), alone, "watched");
    assert_true(c.begun > 50 && c.messages > 2 * c.begun);
    assert_true(pins[4] > 0);
    network_free(n);
}

static void note_sending(void *context, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    (void)node, (void)nanosecond;
    ((struct count *)context)->on_air = m->kind != AIR_END;
}

static void a_snapshot_in_the_middle_of_a_frame_goes_on(void **state)
{
    struct digest whole = life(1, 7, 150 * MS);
    struct network *n = grid(2, 7);
    struct count c = {0};
    unsigned taken = 0;
    (void)state;
    network_observe(n, &(struct network_observer){.context = &c, .sent = note_sending});
    for (uint64_t at = 20 * MS; at < 120 * MS; at += 50000) {
        network_run(n, at);
        if (!c.on_air || taken == 5)
            continue;
        taken++;
        struct digest there = network_digest(n);
        struct network_snapshot *s = network_snapshot(n);
        must_be_same(network_digest(n), there, "after taking a snapshot");
        network_run(n, 150 * MS);
        must_be_same(network_digest(n), whole, "after a snapshot");
        network_restore(n, s);
        must_be_same(network_digest(n), there, "restored");
        network_run(n, 150 * MS);
        must_be_same(network_digest(n), whole, "from the snapshot");
        network_restore(n, s);
        network_snapshot_free(s);
    }
    assert_int_equal(taken, 5);
    network_free(n);
}

/* ---- changes ---- */

static void links_fail_and_return(void **state)
{
    struct medium_options o = medium_default;
    (void)state;
    o.model = MEDIUM_LINKS;
    struct network *n = network_new(1, 1, &o);
    add(n, 1, 0, 0, 0, 0);
    add(n, 2, 0, 0, 4 * MS, 0);
    medium_link(network_medium(n), 0, 1, -62);
    network_run(n, 500 * MS);
    uint32_t before = variable(n, 1, "heard", 0);
    assert_true(before > 30);
    assert_int_equal(variable(n, 0, "heard", 0), 0); /* directed */
    medium_link_down(network_medium(n), 0, 1, true);
    network_run(n, 1000 * MS);
    assert_in_range(variable(n, 1, "heard", 0), before, before + 1);
    medium_link_down(network_medium(n), 0, 1, false);
    network_run(n, 1500 * MS);
    assert_in_range(variable(n, 1, "heard", 0), before + 30, 2 * before + 5);
    network_free(n);
}

static void links_lose_what_they_are_told_to(void **state)
{
    struct medium_options o = medium_default;
    (void)state;
    o.model = MEDIUM_LINKS;
    struct network *n = network_new(1, 1, &o);
    add(n, 1, 0, 0, 0, 0);
    add(n, 2, 0, 0, 0, 0);
    medium_link(network_medium(n), 0, 1, -62);
    medium_link_loss(network_medium(n), 0, 1, 0.25);
    network_kill(n, 1);
    network_boot(n, 1);
    network_run(n, 20000 * MS);
    /* The receiver sends too, and misses some of what is left: see without loss. */
    double lossy = variable(n, 1, "heard", 0);
    struct network *whole = network_new(1, 1, &o);
    add(whole, 1, 0, 0, 0, 0);
    add(whole, 2, 0, 0, 0, 0);
    medium_link(network_medium(whole), 0, 1, -62);
    network_run(whole, 20000 * MS);
    double all = variable(whole, 1, "heard", 0);
    assert_true(all > 1000);
    assert_true(lossy / all > 0.71 && lossy / all < 0.79);
    network_free(n);
    network_free(whole);
}

static void a_node_dies_in_the_middle_of_its_frame(void **state)
{
    struct network *n = network_new(1, 1, &medium_default);
    struct count c = {0};
    (void)state;
    add(n, 1, 0, 0, 0, 0);
    add(n, 2, 5, 0, 0, 0);
    add(n, 3, 5, 5, 0, 0);
    network_run(n, 100 * MS);
    network_observe(n, &(struct network_observer){.context = &c, .sent = note_sending});
    while (!c.on_air)
        network_run(n, network_now(n) + 30000);
    for (uint32_t i = 0; i < 3; i++)
        network_kill(n, i);
    network_boot(n, 1);
    network_boot(n, 2);
    assert_false(network_alive(n, 0));
    network_run(n, 1000 * MS);
    /* Had the frame never ended, the carrier would be there for ever and all would be damaged. */
    assert_true(variable(n, 1, "heard_from", 3) > 60);
    assert_int_equal(variable(n, 1, "heard_from", 1), 0); /* a new life has forgotten */
    assert_true(variable(n, 2, "TOS_NODE_ID", 0) == 3);
    network_boot(n, 0);
    network_run(n, 2000 * MS);
    assert_true(variable(n, 1, "heard_from", 1) > 60);
    network_free(n);
}

static void a_node_moves_away(void **state)
{
    struct medium_options o = medium_default;
    (void)state;
    o.model = MEDIUM_UNIT_DISK;
    o.range = 20;
    struct network *n = network_new(1, 1, &o);
    add(n, 1, 0, 0, 0, 0);
    add(n, 2, 20, 0, 4 * MS, 0);
    network_run(n, 500 * MS);
    uint32_t before = variable(n, 1, "heard", 0);
    assert_true(before > 30);
    medium_move(network_medium(n), 1, (struct medium_position){20.001, 0, 0});
    network_run(n, 1000 * MS);
    assert_in_range(variable(n, 1, "heard", 0), before, before + 1);
    network_free(n);
}

static void clocks_drift(void **state)
{
    struct network *n = network_new(1, 1, &medium_default);
    struct motet_error e;
    (void)state;
    struct node *slow = add(n, 1, 0, 0, 0, -50), *late = add(n, 2, 1e6, 0, 1000 * MS, 50);
    network_run(n, 100000 * MS);
    /* 100 s less 50 ppm; 99 s and 50 ppm. A tick more or less, and what an instruction may run over. */
    assert_in_range(slow->state->now, 737243136 - 0, 737243136 + 8);
    assert_in_range(late->state->now, 729907200 + 36495 - 1, 729907200 + 36495 + 8);
    assert_null(network_add(n, machine, &(struct network_node){.id = 2}, &e));
    assert_string_equal(e.text, "there already is a node 2");
    assert_null(network_add(n, machine, &(struct network_node){.id = 9, .drift = 1e9}, &e));
    assert_null(network_add(n, machine, &(struct network_node){.id = 9, .at = {.x = 1e300}}, &e));
    network_free(n);
}

static void variables_are_set_after_start_up(void **state)
{
    struct network *n = network_new(1, 1, &medium_default);
    struct motet_error e = {""};
    (void)state;
    struct node *a = add(n, 0x1234, 0, 0, 0, 0), *plain = node_new(machine, 0, 0), *set = node_new(machine, 0, 0);
    assert_true(node_set_variable(a, "shift", 77, &e));
    assert_true(node_set_variable(set, "shift", 0, &e));
    network_run(n, 5 * MS);
    assert_int_equal(variable(n, 0, "TOS_NODE_ID", 0), 0x1234);
    assert_int_equal(variable(n, 0, "shift", 0), 77);
    /* A value that was there anyway changes nothing, not a cycle. */
    node_run(plain, 1000000);
    node_run(set, 1000000);
    must_be_same(node_digest(set), node_digest(plain), "set to what it was");
    /* A reset runs start-up code again. */
    node_request_reset(a, RESET_EXTERNAL);
    network_touched(n, 0);
    network_run(n, 10 * MS);
    assert_int_equal(a->state->resets, 1);
    assert_int_equal(variable(n, 0, "TOS_NODE_ID", 0), 0x1234);
    assert_false(node_set_variable(a, "nothing", 1, &e));
    assert_non_null(strstr(e.text, "there is no symbol 'nothing'"));
    assert_false(node_set_variable(a, "main", 1, &e));
    assert_non_null(strstr(e.text, "is not a variable in RAM"));
    assert_false(node_set_variable(a, "heard_from", 1, &e));
    assert_non_null(strstr(e.text, "has 32 bytes"));
    assert_false(node_set_variable(a, "TOS_NODE_ID", 65536, &e));
    assert_non_null(strstr(e.text, "does not fit"));
    node_free(plain);
    node_free(set);
    network_free(n);
}

static void sleepers_cost_nothing(void **state)
{
    struct network *n = network_new(1, 1, &medium_default);
    (void)state;
    add(n, 0, 0, 0, 0, 0);
    for (uint32_t i = 1; i < 100; i++)
        add(n, i, i * 1e5, 0, UINT64_C(1) << 60, 0); /* never boots in this run */
    network_run(n, 1000 * MS);
    struct network_work w = network_work(n);
    assert_true(w.node_windows > 90 && w.node_windows < 1000);
    assert_true(w.windows < 500); /* those in which it wakes, and those in which its words come and go */
    network_free(n);
}

#define SIMPLE(TEST) cmocka_unit_test_setup(TEST, use_simple)
#define MICAZ(TEST)                                   \
    {                                                 \
#TEST " (micaz)", TEST, use_micaz, NULL, NULL \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        SIMPLE(two_nodes_hear_each_other),
        SIMPLE(threads_make_no_difference),
        SIMPLE(a_hundred_lives_are_one),
        SIMPLE(cuts_make_no_difference),
        SIMPLE(looking_on_makes_no_difference),
        SIMPLE(a_snapshot_in_the_middle_of_a_frame_goes_on),
        SIMPLE(links_fail_and_return),
        SIMPLE(links_lose_what_they_are_told_to),
        SIMPLE(a_node_dies_in_the_middle_of_its_frame),
        SIMPLE(a_node_moves_away),
        SIMPLE(clocks_drift),
        SIMPLE(variables_are_set_after_start_up),
        SIMPLE(sleepers_cost_nothing),
        MICAZ(threads_make_no_difference),
        MICAZ(a_hundred_lives_are_one),
        MICAZ(cuts_make_no_difference),
        MICAZ(looking_on_makes_no_difference),
        MICAZ(a_snapshot_in_the_middle_of_a_frame_goes_on),
        MICAZ(a_node_dies_in_the_middle_of_its_frame),
        MICAZ(links_fail_and_return),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
