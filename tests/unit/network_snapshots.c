/* Snapshots of networks share what has not changed: random trees of them against full copies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "board/boards.h"
#include "network/choices.h"
#include "network/network.h"
#include "network/test_radio.h"
#include "node/machine.h"

enum { NODES = 5, KEPT = 6, STEPS = 600 };
#define MS UINT64_C(1000000)

static struct machine *load(const char *path, const struct board *board)
{
    struct motet_error e;
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1, .holds = true};
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(board->chip, board, image, &options, &e) : NULL;
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

static struct network *new_network(const struct machine *m)
{
    struct network *n = network_new(3, 1, &medium_default);
    for (uint32_t i = 0; i < NODES; i++) {
        struct motet_error e;
        struct network_node o = {.id = i, .at = {7.0 * i, 0, 0}, .boot = i * 700000, .drift = 10.0 * i};
        struct node *node = network_add(n, m, &o, &e);
        if (!node || !node_set_variable(node, "TOS_NODE_ID", i, &e))
            fail_msg("%s", e.text);
    }
    return n;
}

/* ---- full copies ---- */

struct copy {
    struct network_snapshot *snapshot; /* NULL: none is kept here */
    uint8_t *arenas[NODES];
    struct digest nodes[NODES], network;
    uint64_t now;
};

/* Worked out from the nodes as they are, with nothing that was kept. */
static struct digest whole_digest(struct network *n)
{
    bool changed[NODES];
    for (uint32_t i = 0; i < NODES; i++) {
        changed[i] = network_node(n, i)->changed;
        network_node(n, i)->changed = true;
    }
    struct digest d = network_digest(n);
    for (uint32_t i = 0; i < NODES; i++)
        network_node(n, i)->changed = changed[i];
    return d;
}

static void drop(struct copy *c)
{
    network_snapshot_free(c->snapshot);
    for (uint32_t i = 0; i < NODES; i++)
        free(c->arenas[i]);
    *c = (struct copy){.snapshot = NULL};
}

static void keep(struct network *n, struct copy *c)
{
    drop(c);
    c->network = whole_digest(n);
    assert_true(digest_equal(network_digest(n), c->network));
    c->snapshot = network_snapshot(n);
    assert_true(digest_equal(network_digest(n), c->network));
    c->now = network_now(n);
    for (uint32_t i = 0; i < NODES; i++) {
        const struct node *node = network_node(n, i);
        c->arenas[i] = memory_copy(node->arena, node->machine->arena_size);
        c->nodes[i] = node_digest(node);
    }
}

static void put_back(struct network *n, const struct copy *c)
{
    network_restore(n, c->snapshot);
    assert_int_equal(network_now(n), c->now);
    for (uint32_t i = 0; i < NODES; i++) {
        const struct node *node = network_node(n, i);
        assert_memory_equal(node->arena, c->arenas[i], node->machine->arena_size);
        assert_true(digest_equal(node_digest(node), c->nodes[i]));
        assert_int_equal(node_now(node), node->state->now);
    }
    assert_true(digest_equal(network_digest(n), c->network));
    assert_true(digest_equal(whole_digest(n), c->network));
}

/* ---- trees ---- */

static uint32_t drawn(uint64_t *random, uint32_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*random >> 33) % below;
}

static void disturb(struct network *n, uint64_t *random)
{
    static const enum choice_source sources[] = {CHOICE_BUSY, CHOICE_RESET, CHOICE_POWER, CHOICE_DEATH};
    struct choice c = {.source = sources[drawn(random, 4)], .node = drawn(random, NODES), .outcome = 3000};
    network_do(n, &c);
}

static void grow(const struct machine *m, uint64_t seed)
{
    struct network *n = new_network(m);
    struct copy copies[KEPT] = {{.snapshot = NULL}};
    uint64_t random = seed;
    unsigned restored = 0;
    for (unsigned i = 0; i < STEPS; i++) {
        struct copy *c = &copies[drawn(&random, KEPT)];
        uint32_t what = drawn(&random, 16);
        if (what < 8)
            network_run(n, network_now(n) + drawn(&random, what < 4 ? 300000 : 5000000));
        else if (what < 11)
            keep(n, c);
        else if (what == 11)
            disturb(n, &random);
        else if (c->snapshot)
            put_back(n, c), restored++;
    }
    assert_true(restored > STEPS / 8);
    for (unsigned i = 0; i < KEPT; i++) {
        for (unsigned k = 0; k < 2 && copies[i].snapshot; k++) { /* the same future twice */
            put_back(n, &copies[i]);
            network_run(n, copies[i].now + 40 * MS);
            if (k == 0)
                keep(n, &copies[(i + 1) % KEPT]);
            else
                assert_true(digest_equal(whole_digest(n), copies[(i + 1) % KEPT].network));
        }
    }
    for (unsigned i = 0; i < KEPT; i++)
        drop(&copies[i]);
    network_free(n);
}

static void trees_of_snapshots_are_full_copies(void **state)
{
    struct machine *simple = load(FIRMWARE_DIR "/network-beacon.elf", &test_radio_board);
    struct machine *micaz = load(FIRMWARE_DIR "/network-cc2420-busy.elf", &board_micaz);
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++)
        grow(seed % 2 ? simple : micaz, seed);
    machine_free(simple);
    machine_free(micaz);
}

/* A node that sleeps while others run is not copied again. */
static void sleepers_are_shared(void **state)
{
    struct machine *m = load(FIRMWARE_DIR "/network-beacon.elf", &test_radio_board);
    struct network *n = new_network(m);
    unsigned unchanged = 0, all = 0;
    (void)state;
    network_run(n, 50 * MS);
    for (unsigned i = 0; i < 100; i++) {
        network_snapshot_free(network_snapshot(n));
        network_run(n, network_now(n) + 100000);
        for (uint32_t k = 0; k < NODES; k++, all++)
            unchanged += !network_node(n, k)->changed;
    }
    assert_true(unchanged > all / 2 && unchanged < all);
    network_free(n);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_of_snapshots_are_full_copies),
        cmocka_unit_test(sleepers_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
