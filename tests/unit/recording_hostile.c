/* Recordings from anywhere: every byte changed, every length cut, and contents that were changed and sealed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "motet/recording.h"
#include "timeline/recording.h"

static char path[64], other[64];

static uint64_t random_state = 1;
static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

/* A short life with an input, and a network of two. */
static void make(bool network)
{
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    struct motet_error e = {""};
    motet_machine *m = motet_machine_load(FIRMWARE_DIR "/cli-echo.elf", &o, &e);
    assert_non_null(m);
    if (network) {
        struct motet_medium medium;
        motet_medium_default(&medium);
        motet_network *n = motet_network_new(3, 1, &medium, &e);
        for (uint32_t i = 0; i < 2; i++)
            assert_non_null(motet_network_add(n, m, &(struct motet_place){.id = i, .x = i}, &e));
        motet_keep *k = motet_keep_network(n, path, &e);
        assert_non_null(k);
        motet_network_run(n, MOTET_SECOND / 4);
        motet_network_kill(n, motet_network_at(n, 1));
        motet_network_run(n, MOTET_SECOND / 3);
        motet_network_boot(n, motet_network_at(n, 1));
        motet_network_run(n, MOTET_SECOND / 2);
        assert_true(motet_keep_finish(k, &e));
        motet_network_free(n);
    } else {
        motet_node *n = motet_node_new(m, 0, 1);
        motet_keep *k = motet_keep_node(n, path, &e);
        assert_non_null(k);
        motet_keep_about(k, "command", "none");
        motet_node_run(n, 3000000);
        motet_node_send(n, 0, (const uint8_t *)"abc", 3);
        motet_node_run(n, 5000000);
        assert_true(motet_keep_finish(k, &e));
        motet_node_free(n);
    }
    motet_machine_free(m);
}

static uint8_t *read_file(size_t *size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    uint8_t *bytes = malloc(1 << 22);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    return bytes;
}

static void test_every_byte(void **state)
{
    (void)state;
    size_t size;
    make(false);
    uint8_t *bytes = read_file(&size);
    struct error e = {""};
    struct recording *r = recording_parse("it", bytes, size, &e);
    assert_non_null(r);
    recording_close(r);
    for (size_t i = 0; i < size; i++) {
        uint8_t was = bytes[i];
        bytes[i] ^= (uint8_t)(1 << random_below(8));
        e.text[0] = 0;
        assert_null(recording_parse("it", bytes, size, &e));
        assert_true(strncmp(e.text, "it: ", 4) == 0);
        bytes[i] = was;
    }
    free(bytes);
}

static void test_every_length(void **state)
{
    (void)state;
    size_t size;
    make(false);
    uint8_t *bytes = read_file(&size);
    for (size_t i = 0; i < size; i++) {
        struct error e = {""};
        assert_null(recording_parse("it", bytes, i, &e));
        assert_true(e.text[0] != 0);
    }
    free(bytes);
}

/* Copies the recording, one section of a kind changed. */
static void reseal(enum recording_kind kind)
{
    struct error e = {""};
    struct recording *r = recording_open(path, &e);
    struct recording_writer *w = recording_create(other, &e);
    assert_true(r && w);
    for (size_t i = 0; i < recording_sections(r); i++) {
        size_t size;
        uint8_t *bytes = recording_read(r, i, &size, &e);
        assert_non_null(bytes);
        if (recording_kind(r, i) == kind && size) {
            for (uint32_t n = 1 + random_below(3); n > 0; n--)
                bytes[random_below((uint32_t)size)] = (uint8_t)random_below(256);
            if (random_below(4) == 0)
                size = random_below((uint32_t)size);
        }
        recording_add(w, recording_kind(r, i), bytes, size);
        free(bytes);
    }
    assert_true(recording_finish(w, &e));
    recording_close(r);
}

/* Opens or says why not; what opens goes a little way. */
static void try_it(void)
{
    struct motet_error e = {""};
    struct motet_recording_info info;
    motet_recording *r = motet_recording_open(other, &(struct motet_recording_options){.threads = 1}, &e);
    if (!r) {
        assert_true(e.text[0] != 0);
        return;
    }
    motet_recording_info(r, &info);
    motet_recording_seek(r, 1000, &e);
    motet_recording_free(r);
}

static void resealed(bool network, enum recording_kind kind, unsigned times)
{
    make(network);
    for (unsigned i = 0; i < times; i++) {
        reseal(kind);
        try_it();
    }
}

static void test_journals(void **state)
{
    (void)state;
    resealed(false, RECORDING_JOURNAL, 150);
    resealed(true, RECORDING_JOURNAL, 150);
}

static void test_the_rest(void **state)
{
    (void)state;
    static const enum recording_kind kinds[] = {RECORDING_ABOUT, RECORDING_FILE, RECORDING_ANALOG, RECORDING_MARKS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        resealed(i % 2, kinds[i], 60);
}

/* Snapshots are left aside where they cannot be those of this build. */
static void test_other_build(void **state)
{
    (void)state;
    struct motet_error e = {""};
    struct motet_recording_info info;
    make(true);
    random_state = 5;
    struct error error = {""};
    struct recording *r = recording_open(path, &error);
    struct recording_writer *w = recording_create(other, &error);
    for (size_t i = 0; i < recording_sections(r); i++) {
        size_t size;
        uint8_t *bytes = recording_read(r, i, &size, &error);
        if (recording_kind(r, i) == RECORDING_MARKS)
            bytes[0] ^= 1; /* of the layout's digest */
        recording_add(w, recording_kind(r, i), bytes, size);
        free(bytes);
    }
    recording_close(r);
    assert_true(recording_finish(w, &error));
    motet_recording *opened = motet_recording_open(other, &(struct motet_recording_options){.threads = 1}, &e);
    assert_non_null(opened);
    motet_recording_info(opened, &info);
    assert_false(info.usable);
    assert_string_equal(info.reason, "they are of another build of Motet");
    char digest[MOTET_DIGEST_TEXT];
    assert_true(motet_recording_seek(opened, UINT64_MAX / 4, &e));
    motet_network_digest(motet_recording_network(opened), digest);
    assert_string_equal(digest, info.digest);
    motet_recording_free(opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte), cmocka_unit_test(test_every_length), cmocka_unit_test(test_journals),
        cmocka_unit_test(test_the_rest),   cmocka_unit_test(test_other_build),
    };
    snprintf(path, sizeof path, "/tmp/motet-recording-%d", (int)getpid());
    snprintf(other, sizeof other, "/tmp/motet-recording-%d-2", (int)getpid());
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(other);
    return status;
}
