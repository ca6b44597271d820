/* A node that callbacks stop anywhere, before instructions and between them, and that gets inputs there, is saved
 * exactly: what is executed again has the same digests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "motet/saved.h"
#include "motet/watch.h"

static uint64_t random_below(uint64_t limit)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % limit;
}

static uint64_t stop_at; /* instructions */

static void stop_before(void *context, const motet_node *n, uint32_t pc, bool after)
{
    (void)context, (void)pc, (void)after;
    if (motet_node_instructions(n) >= stop_at) {
        stop_at = UINT64_MAX;
        motet_node_stop(n);
    }
}

static void stop_between(void *context, const motet_node *n, const struct motet_happened *h)
{
    (void)context, (void)h;
    if (random_below(4) == 0)
        motet_node_stop(n);
}

static void disturb(motet_network *network, motet_node *n)
{
    switch (random_below(6)) {
    case 0: motet_node_send(n, 0, (const uint8_t *)"ab", 2); break;
    case 1: motet_node_drive(n, 16 + (unsigned)random_below(8), random_below(2) ? MOTET_HIGH : MOTET_LOW); break;
    case 2: motet_node_reset(n); break;
    case 3: motet_network_boot(network, n); break;
    default: break;
    }
}

/* Returns how often it was stopped. */
static unsigned save(const char *firmware, const char *path, bool between, char digest[MOTET_DIGEST_TEXT])
{
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    struct motet_error e = {""};
    unsigned stops = 0;
    motet_machine *m = motet_machine_load(firmware, &o, &e);
    assert_non_null(m);
    motet_network *network = motet_network_of_one(m, 0, 1);
    motet_node *n = motet_network_at(network, 0);
    motet_save *k = motet_save_network(network, path, &e);
    assert_non_null(k);
    stop_at = 100;
    if (between)
        motet_hook(n, MOTET_ON(SERIAL) | MOTET_ON(PIN) | MOTET_ON(RESET), stop_between, NULL);
    else
        motet_probe(n, MOTET_EVERYWHERE, MOTET_BEFORE, stop_before, NULL);
    for (unsigned i = 0; i < 60; i++) {
        uint64_t until = motet_network_now(network) + 1 + random_below(20000000);
        if (motet_network_run(network, until) == MOTET_NETWORK_STOPPED)
            stops++;
        if (i < 59) /* the last stop is where it ends */
            disturb(network, n);
        if (stop_at == UINT64_MAX)
            stop_at = motet_node_instructions(n) + random_below(30000);
    }
    motet_network_digest(network, digest);
    assert_true(motet_save_finish(k, &e));
    motet_network_free(network);
    motet_machine_free(m);
    return stops;
}

static void verify(const char *path, const char *digest)
{
    struct motet_error e = {""};
    struct motet_saved_run_check check;
    struct motet_saved_run_info info;
    motet_saved_run *r = motet_saved_run_open(path, &(struct motet_saved_run_options){.threads = 1}, &e);
    assert_non_null(r);
    motet_saved_run_info(r, &info);
    assert_string_equal(info.digest, digest);
    if (!motet_saved_run_verify(r, &check, &e))
        fail_msg("%s", e.text);
    char again[MOTET_DIGEST_TEXT];
    assert_true(motet_saved_run_seek(r, 0, &e) && motet_saved_run_seek(r, info.end, &e));
    motet_network_digest(motet_saved_run_network(r), again);
    assert_string_equal(again, digest);
    motet_saved_run_free(r);
}

static void stopped(const char *firmware)
{
    char path[] = "/tmp/motet-stops-XXXXXX", digest[MOTET_DIGEST_TEXT];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    for (unsigned i = 0; i < 8; i++) {
        assert_true(save(firmware, path, i % 2, digest) > 5);
        verify(path, digest);
    }
    unlink(path);
}

static void stops_are_saved_exactly(void **state)
{
    (void)state;
    stopped(FIRMWARE_DIR "/cli-watcher.elf");
    stopped(FIRMWARE_DIR "/busy-atmega328p.elf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stops_are_saved_exactly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
