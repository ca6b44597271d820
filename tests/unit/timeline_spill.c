/* Snapshots that memory has no room for: they come back from disk as they were. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/chip.h"
#include "network/network.h"
#include "node/machine.h"
#include "node/node.h"
#include "timeline/spill.h"
#include "timeline/timeline.h"

enum { STOPS = 40 };

static struct machine *machine_of(const char *firmware, const char *chip)
{
    char path[256];
    struct motet_error e = {""};
    struct machine_options options = {.fuses = {-1, -1, -1}, .lock = -1};
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    struct image *image = image_load(path, &e);
    struct machine *m = image ? machine_new(chip_named(chip), NULL, image, &options, &e) : NULL;
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

static void test_bytes(void **state)
{
    (void)state;
    struct spill *s = spill_new();
    struct spilled places[20];
    for (unsigned i = 0; i < 20; i++) {
        struct pack p = {.bytes = NULL};
        for (unsigned k = 0; k < 1000 * i; k++)
            pack_number(&p, k * i, 2);
        assert_true(spill_put(s, &p, &places[i]));
        pack_free(&p);
    }
    for (unsigned i = 20; i-- > 0;) {
        uint8_t *bytes = spill_get(s, &places[i]);
        assert_non_null(bytes);
        assert_int_equal(places[i].size, 2000 * i);
        struct unpack u = {.at = bytes, .end = bytes + places[i].size};
        for (unsigned k = 0; k < 1000 * i; k++)
            assert_int_equal(unpack_number(&u, 2), (k * i) & 0xffff);
        free(bytes);
    }
    spill_free(s);
}

/* Forward over a long time with room for few snapshots, then anywhere: the states are those seen going forward, and
 * most of the way need not be gone again. */
static void there_and_back(struct subject s, uint64_t length)
{
    struct digest seen[STOPS];
    struct timeline *t = timeline_new(s, 1 << 18, NULL, NULL);
    for (unsigned i = 0; i < STOPS; i++) {
        timeline_seek(t, length / STOPS * (i + 1));
        seen[i] = timeline_digest(t);
    }
    assert_true(timeline_spilled(t) > 0);
    assert_true(timeline_memory(t) < 1 << 20);
    assert_true(timeline_snapshots(t) > STOPS / 2);
    for (unsigned i = 0, k = 0; i < 2 * STOPS; i++, k = (k + 17) % STOPS) {
        timeline_seek(t, length / STOPS * (k + 1));
        assert_true(digest_equal(timeline_digest(t), seen[k]));
        struct position here = timeline_position(t);
        timeline_step_back(t, 0);
        timeline_go(t, here);
        assert_true(digest_equal(timeline_digest(t), seen[k]));
    }
    timeline_free(t);
}

static void test_one_node(void **state)
{
    (void)state;
    struct machine *m = machine_of("busy-atmega328p", "atmega328p");
    struct network *n = network_new(3, 1, &medium_default);
    struct motet_error e = {""};
    assert_non_null(network_add(n, m, &(struct network_node){.id = 0}, &e));
    there_and_back(subject_of_network(n), 6 * NETWORK_SECOND);
    network_free(n);
    machine_free(m);
}

static void test_network(void **state)
{
    (void)state;
    struct machine *m = machine_of("busy-atmega328p", "atmega328p");
    struct network *n = network_new(1, 1, &medium_default);
    struct motet_error e = {""};
    for (uint32_t i = 0; i < 3; i++)
        assert_non_null(network_add(n, m, &(struct network_node){.id = i, .boot = i * 1000003}, &e));
    there_and_back(subject_of_network(n), 4 * NETWORK_SECOND);
    network_free(n);
    machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_one_node),
        cmocka_unit_test(test_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
