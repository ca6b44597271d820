/* A network of one: it runs to the tick as a bare node does, in one go, and is the same however it is cut, stopped,
 * debugged, and whether another node is out of its reach. */
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
#include "node/taps.h"
#include "timeline/timeline.h"

#define MS UINT64_C(1000000)

static struct machine *busy, *msp430, *micaz, *fault; /* msp430 is NULL where there is no clang */

static struct machine *load(const char *firmware, const char *chip, const struct board *board)
{
    char path[256];
    struct motet_error e = {""};
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(board ? board->chip : chip_named(chip), board, image, &options, &e) : NULL;
    if (!m)
        print_error("%s\n", e.text);
    return m;
}

static int set_up(void **state)
{
    (void)state;
    busy = load("busy-atmega328p", "atmega328p", NULL);
    micaz = load("network-cc2420-busy", NULL, &board_micaz);
    fault = load("fault-erased_flash", "atmega328p", NULL);
    msp430 = *MSP430_CLANG ? load("busy-msp430f1611", "msp430f1611", NULL) : NULL;
    return busy && micaz && fault ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    machine_free(busy);
    machine_free(micaz);
    machine_free(fault);
    machine_free(msp430);
    return 0;
}

static struct network *one(const struct machine *m, double drift)
{
    struct motet_error e;
    struct network *n = network_new(7, 1, &medium_default);
    assert_non_null(network_add(n, m, &(struct network_node){.id = 3, .drift = drift}, &e));
    return n;
}

static uint64_t random_below(uint64_t limit)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % limit;
}

/* The time of a tick leads to that tick: no more is done and no less, at any pace and with any drift. Of several that
 * begin in one nanosecond it is the first. */
static void ticks_are_exact(const struct machine *m, double drift)
{
    struct network *n = one(m, drift);
    struct node *plain = node_new(m, 3, 7);
    for (uint64_t tick = 0; tick < 400000; tick += 1 + random_below(4000)) {
        uint64_t time = network_time(n, 0, tick);
        if (m->hz > NETWORK_SECOND)
            tick = network_tick(n, 0, time);
        assert_int_equal(network_tick(n, 0, time), tick);
        assert_int_equal(network_run(n, time), NETWORK_TIME);
        assert_int_equal(network_now(n), time);
        node_run(plain, tick);
        assert_true(digest_equal(node_digest(network_node(n, 0)), node_digest(plain)));
    }
    node_free(plain);
    network_free(n);
}

static void it_runs_to_the_tick(void **state)
{
    (void)state;
    ticks_are_exact(busy, 0);
    ticks_are_exact(busy, -37.5);
    if (msp430)
        ticks_are_exact(msp430, 12);
}

static void it_takes_one_window(void **state)
{
    (void)state;
    struct network *n = one(busy, 0);
    network_run(n, 100 * MS);
    assert_int_equal(network_work(n).windows, 1);
    network_free(n);
}

/* ---- what is on the air ---- */

struct heard {
    struct digest all;
    unsigned ends;
    uint64_t last;
};

static void hear(void *context, uint32_t node, uint64_t nanosecond, const struct air_message *m)
{
    struct heard *h = context;
    uint64_t numbers[] = {node, nanosecond, m->kind, m->transmission, m->count};
    assert_true(nanosecond >= h->last);
    h->last = nanosecond;
    h->ends += m->kind == AIR_END;
    h->all = digest_join(h->all, digest_of(numbers, sizeof numbers));
}

static void listen(struct network *n, struct heard *h)
{
    *h = (struct heard){.ends = 0};
    network_observe(n, &(struct network_observer){.context = h, .sent = hear});
}

/* What a node sends is the same to observers, whether it is alone or another is too far away. */
static void what_it_sends_is_seen(void **state)
{
    (void)state;
    struct motet_error e;
    struct heard alone, apart;
    struct network *n = one(micaz, 0), *two = one(micaz, 0);
    struct network_node far = {.id = 4, .at = {1e6, 0, 0}, .boot = UINT64_C(1) << 60};
    assert_non_null(network_add(two, micaz, &far, &e));
    listen(n, &alone);
    listen(two, &apart);
    network_run(n, 300 * MS);
    network_run(two, 300 * MS);
    assert_true(alone.ends > 10);
    assert_int_equal(alone.ends, apart.ends);
    assert_true(digest_equal(alone.all, apart.all));
    network_free(n);
    network_free(two);
}

/* Also in the middle of a frame. */
static void cuts_make_no_difference(void **state)
{
    (void)state;
    struct heard whole, pieces;
    struct network *n = one(micaz, 20), *cut = one(micaz, 20);
    listen(n, &whole);
    listen(cut, &pieces);
    for (uint64_t to = 0; to < 200 * MS;) {
        to += 1 + random_below(300000);
        struct network *again = one(micaz, 20);
        bool compared = random_below(20) == 0;
        assert_int_equal(network_run(cut, to), NETWORK_TIME);
        if (compared) {
            network_run(again, to);
            assert_true(digest_equal(network_digest(again), network_digest(cut)));
        }
        network_free(again);
    }
    network_run(n, network_now(cut));
    assert_true(digest_equal(network_digest(n), network_digest(cut)));
    assert_true(digest_equal(whole.all, pieces.all));
    network_free(n);
    network_free(cut);
}

/* One that becomes one of two goes on as if the other had been there, asleep, all the time. */
static void a_second_comes_later(void **state)
{
    (void)state;
    struct motet_error e;
    struct heard late, early;
    struct network *n = one(micaz, 0), *two = one(micaz, 0);
    struct network_node other = {.id = 4, .at = {10, 0, 0}, .boot = 55 * MS};
    assert_non_null(network_add(two, micaz, &other, &e));
    listen(n, &late);
    listen(two, &early);
    network_run(n, 50 * MS);
    assert_non_null(network_add(n, micaz, &other, &e));
    network_run(n, 200 * MS);
    network_run(two, 50 * MS);
    network_run(two, 200 * MS);
    assert_true(digest_equal(late.all, early.all));
    assert_true(digest_equal(network_digest(n), network_digest(two)));
    network_free(n);
    network_free(two);
}

/* ---- ends ---- */

static void it_ends_where_the_node_does(void **state)
{
    (void)state;
    struct network *n = one(fault, 0);
    assert_int_equal(network_run(n, NETWORK_SECOND), NETWORK_ENDED);
    assert_int_equal(network_ended(n), 0);
    uint64_t end = network_time(n, 0, network_node(n, 0)->state->now) + 1; /* its last instruction has begun */
    assert_int_equal(network_now(n), end);
    assert_int_equal(network_run(n, UINT64_MAX), NETWORK_IDLE); /* reported once */
    assert_int_equal(network_now(n), end);
    assert_int_equal(network_run(n, NETWORK_SECOND), NETWORK_TIME);
    assert_int_equal(network_now(n), NETWORK_SECOND);
    network_free(n);
}

static void without_power_nothing_happens(void **state)
{
    (void)state;
    struct network *n = one(busy, 0);
    network_run(n, 10 * MS);
    uint64_t done = network_node(n, 0)->state->instructions;
    network_kill(n, 0);
    assert_int_equal(network_run(n, 20 * MS), NETWORK_TIME);
    assert_int_equal(network_run(n, UINT64_MAX), NETWORK_IDLE);
    assert_int_equal(network_node(n, 0)->state->instructions, done);
    network_boot(n, 0);
    assert_int_equal(network_run(n, 30 * MS), NETWORK_TIME);
    assert_true(network_node(n, 0)->state->instructions > done);
    network_free(n);
}

static void stop_at_once(void *context, const struct motet_node *handle, uint32_t pc, bool stepped)
{
    struct node *n = context;
    (void)handle, (void)pc, (void)stepped;
    n->stopped = n->asked = true;
}

static void a_callback_stops_it_at_once(void **state)
{
    (void)state;
    struct network *n = one(busy, 0), *whole = one(busy, 0);
    struct node *node = network_node(n, 0);
    uint32_t address = image_symbol_named(busy->image, "main")->address;
    motet_tap *tap = tap_probe(node, address, address, MOTET_BEFORE, stop_at_once, node);
    assert_non_null(tap);
    assert_int_equal(network_run(n, NETWORK_SECOND), NETWORK_STOPPED);
    assert_int_equal(busy->chip->isa->pc(node), address);
    assert_int_equal(network_now(n), network_time(n, 0, node->state->now));
    tap_remove(tap);
    assert_int_equal(network_run(n, 50 * MS), NETWORK_TIME);
    network_run(whole, 50 * MS);
    assert_true(digest_equal(network_digest(n), network_digest(whole)));
    network_free(n);
    network_free(whole);
}

/* ---- under a timeline ---- */

/* A time has one state: run to, sought, gone back to; and a position in ticks is exact. */
static void a_time_has_one_state(const struct machine *m)
{
    enum { PLACES = 40 };
    struct network *n = one(m, 0);
    struct timeline *t = timeline_new(subject_of_network(n), TIMELINE_MEMORY, NULL, NULL);
    for (unsigned i = 0; i < PLACES; i++) {
        uint64_t at = network_time(n, 0, random_below(2000000));
        struct network *plain = one(m, 0);
        timeline_seek(t, at);
        assert_int_equal(timeline_now(t), at);
        if (i % 3 == 0) { /* there and back */
            timeline_step(t, 0, TIMELINE_NEVER);
            timeline_step_back(t, 0);
            timeline_seek(t, at);
        }
        network_run(plain, at);
        assert_true(digest_equal(timeline_digest(t), network_digest(plain)));
        network_free(plain);
    }
    timeline_free(t);
    network_free(n);
}

static void a_timeline_finds_the_states_of_a_run(void **state)
{
    (void)state;
    a_time_has_one_state(busy);
    a_time_has_one_state(micaz);
    if (msp430)
        a_time_has_one_state(msp430);
}

static void a_timeline_ends_where_the_node_does(void **state)
{
    (void)state;
    struct network *n = one(fault, 0);
    struct timeline *t = timeline_new(subject_of_network(n), TIMELINE_MEMORY, NULL, NULL);
    assert_int_equal(timeline_run_until(t, TIMELINE_NEVER).why, TIMELINE_END);
    assert_int_equal(timeline_now(t), network_time(n, 0, network_node(n, 0)->state->now));
    assert_int_equal(timeline_position(t).phase, PHASE_ENDED);
    assert_int_equal(timeline_step_back(t, 0).why, TIMELINE_REACHED);
    assert_int_equal(timeline_position(t).phase, PHASE_READY);
    timeline_free(t);
    network_free(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_runs_to_the_tick),
        cmocka_unit_test(it_takes_one_window),
        cmocka_unit_test(what_it_sends_is_seen),
        cmocka_unit_test(cuts_make_no_difference),
        cmocka_unit_test(a_second_comes_later),
        cmocka_unit_test(it_ends_where_the_node_does),
        cmocka_unit_test(without_power_nothing_happens),
        cmocka_unit_test(a_callback_stops_it_at_once),
        cmocka_unit_test(a_timeline_finds_the_states_of_a_run),
        cmocka_unit_test(a_timeline_ends_where_the_node_does),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
