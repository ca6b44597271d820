/* Two nodes with a driver of their own, one sending, one receiving and acknowledging, over a link the test chooses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "board/board.h"
#include "network/network.h"
#include "node/machine.h"

struct pair {
    struct machine *machines[2];
    struct network *network;
};

static struct machine *machine_of(const char *name, const char *role)
{
    char path[256];
    snprintf(path, sizeof path, FIRMWARE_DIR "/radio-%s-%s.elf", name, role);
    struct motet_error e = {0};
    struct machine_options o = {.fuses = {-1, -1, -1}, .lock = -1};
    const struct board *board = board_named(name);
    struct image *image = image_load(path, &e);
    assert_non_null(image);
    struct machine *m = machine_new(board->chip, board, image, &o, &e);
    assert_non_null(m);
    return m;
}

static struct pair pair_open(const char *board, double there, double back, double drift, unsigned threads)
{
    struct motet_error e = {0};
    struct medium_options o = medium_default;
    struct pair p = {{machine_of(board, "send"), machine_of(board, "receive")}, NULL};
    o.model = MEDIUM_LINKS;
    p.network = network_new(7, threads, &o);
    for (uint32_t i = 0; i < 2; i++) {
        struct network_node node = {.id = i + 1, .boot = i * 1000000, .drift = i * drift};
        assert_non_null(network_add(p.network, p.machines[i], &node, &e));
    }
    medium_link(network_medium(p.network), 0, 1, there);
    medium_link(network_medium(p.network), 1, 0, back);
    return p;
}

static void pair_close(struct pair *p)
{
    network_free(p->network);
    machine_free(p->machines[0]);
    machine_free(p->machines[1]);
}

static unsigned variable(const struct pair *p, unsigned number, const char *name)
{
    uint32_t address, size;
    struct motet_error e = {0};
    struct node *n = network_node(p->network, number);
    assert_true(machine_variable(n->machine, name, &address, &size, &e));
    return n->data[address] | (size > 1 ? n->data[address + 1] << 8 : 0);
}

static void frames_and_acknowledgements_arrive(void **state)
{
    (void)state;
    static const double drifts[] = {0, 40, -40, 2000};
    for (unsigned i = 0; i < sizeof drifts / sizeof *drifts; i++) {
        struct pair p = pair_open("micaz", -62, -65, drifts[i], 1);
        network_run(p.network, NETWORK_SECOND);
        unsigned sent = variable(&p, 0, "sent");
        assert_in_range(sent, 150, 300);
        assert_in_range(variable(&p, 0, "acknowledged"), sent - 1, sent);
        assert_in_range(variable(&p, 1, "received"), sent - 1, sent);
        assert_int_equal(variable(&p, 1, "damaged"), 0);
        assert_int_equal((int8_t)variable(&p, 1, "strength"), -62 + 45);
        pair_close(&p);
    }
}

static void a_link_that_carries_one_way_acknowledges_nothing(void **state)
{
    (void)state;
    struct pair p = pair_open("micaz", -62, -150, 0, 1);
    network_run(p.network, NETWORK_SECOND / 2);
    unsigned sent = variable(&p, 0, "sent");
    assert_in_range(variable(&p, 1, "received"), sent - 1, sent);
    assert_int_equal(variable(&p, 0, "acknowledged"), 0);
    pair_close(&p);
}

static void a_weak_link_loses_some(void **state)
{
    (void)state;
    struct pair p = pair_open("micaz", -96, -60, 0, 1);
    network_run(p.network, 2 * NETWORK_SECOND);
    unsigned sent = variable(&p, 0, "sent"), received = variable(&p, 1, "received");
    assert_in_range(received, sent / 4, sent - 2);
    assert_in_range(variable(&p, 0, "acknowledged"), received - 1, received);
    pair_close(&p);
}

static void the_same_comes_of_any_threads_and_pieces(void **state)
{
    (void)state;
    struct digest ends[4];
    for (unsigned i = 0; i < 4; i++) {
        struct pair p = pair_open("micaz", -96, -95, 25, i == 1 ? 2 : 1);
        if (i == 2)
            for (uint64_t t = 0; t < NETWORK_SECOND / 2; t += 777777)
                network_run(p.network, t);
        if (i == 3) {
            network_run(p.network, 100400000);
            struct network_snapshot *s = network_snapshot(p.network);
            network_run(p.network, 200000000);
            network_restore(p.network, s);
            network_snapshot_free(s);
        }
        network_run(p.network, NETWORK_SECOND / 2);
        ends[i] = network_digest(p.network);
        assert_memory_equal(&ends[i], &ends[0], sizeof ends[0]);
        pair_close(&p);
    }
}

static void iris_retries_by_itself(void **state)
{
    (void)state;
    struct pair p = pair_open("iris", -62, -62, 30, 1);
    network_run(p.network, NETWORK_SECOND);
    unsigned sent = variable(&p, 0, "sent");
    assert_in_range(sent, 90, 300);
    assert_in_range(variable(&p, 0, "acknowledged"), sent - 1, sent);
    assert_in_range(variable(&p, 1, "received"), sent - 1, sent + 1);
    assert_int_equal(variable(&p, 1, "damaged"), 0);
    assert_int_equal((int8_t)variable(&p, 1, "strength"), 3 - 62);
    pair_close(&p);
    p = pair_open("iris", -100.5, -62, 30, 1); /* about one in three is lost, one in eighty four times in a row */
    network_run(p.network, 2 * NETWORK_SECOND);
    sent = variable(&p, 0, "sent");
    assert_in_range(variable(&p, 0, "acknowledged"), sent * 9 / 10, sent);
    pair_close(&p);
}

static void mica2_finds_frames_in_the_bits(void **state)
{
    (void)state;
    static const double drifts[] = {0, 40, -40};
    for (unsigned i = 0; i < 3; i++) {
        struct pair p = pair_open("mica2", -62, -62, drifts[i], 1);
        network_run(p.network, NETWORK_SECOND);
        unsigned sent = variable(&p, 0, "sent");
        assert_in_range(sent, 50, 100);
        assert_in_range(variable(&p, 1, "received"), sent - 3, sent);
        assert_in_range(variable(&p, 1, "damaged"), 0, 2);
        pair_close(&p);
    }
}

static void every_radio_is_the_same_in_pieces(void **state)
{
    (void)state;
    static const char *const names[] = {"iris", "mica2"};
    for (unsigned k = 0; k < 2; k++) {
        struct digest ends[2];
        for (unsigned i = 0; i < 2; i++) {
            struct pair p = pair_open(names[k], -99, -97, 25, 1 + i);
            for (uint64_t t = 0; i && t < NETWORK_SECOND / 3; t += 777777)
                network_run(p.network, t);
            network_run(p.network, NETWORK_SECOND / 3);
            ends[i] = network_digest(p.network);
            pair_close(&p);
        }
        assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_and_acknowledgements_arrive),
        cmocka_unit_test(a_link_that_carries_one_way_acknowledges_nothing),
        cmocka_unit_test(a_weak_link_loses_some),
        cmocka_unit_test(the_same_comes_of_any_threads_and_pieces),
        cmocka_unit_test(iris_retries_by_itself),
        cmocka_unit_test(mica2_finds_frames_in_the_bits),
        cmocka_unit_test(every_radio_is_the_same_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
