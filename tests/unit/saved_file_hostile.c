/* Saved runs from anywhere: every byte changed, every length cut, and contents that were changed and sealed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "motet/saved.h"
#include "timeline/saved_file.h"

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
        motet_save *k = motet_save_network(n, path, &e);
        assert_non_null(k);
        motet_network_run(n, MOTET_SECOND / 4);
        motet_network_kill(n, motet_network_at(n, 1));
        motet_network_run(n, MOTET_SECOND / 3);
        motet_network_boot(n, motet_network_at(n, 1));
        motet_network_run(n, MOTET_SECOND / 2);
        assert_true(motet_save_finish(k, &e));
        motet_network_free(n);
    } else {
        motet_network *n = motet_network_of_one(m, 0, 1);
        motet_node *node = motet_network_at(n, 0);
        motet_save *k = motet_save_network(n, path, &e);
        assert_non_null(k);
        motet_save_about(k, "command", "none");
        motet_network_run(n, motet_network_time(n, node, 3000000));
        motet_node_send(node, 0, (const uint8_t *)"abc", 3);
        motet_network_run(n, motet_network_time(n, node, 5000000));
        assert_true(motet_save_finish(k, &e));
        motet_network_free(n);
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

/* Files of other versions are refused in words, whatever else is in them. */
static void test_other_versions(void **state)
{
    (void)state;
    enum { VERSION = 8 }; /* where it is: behind the magic */
    size_t size;
    make(false);
    uint8_t *bytes = read_file(&size);
    struct motet_error e = {""};
    assert_int_equal(bytes[VERSION], SAVED_FILE_VERSION);
    bytes[VERSION] = 1;
    assert_null(saved_file_parse("it", bytes, size, &e));
    assert_non_null(strstr(e.text, "it: was written by an older Motet (format 1; this one reads 2)"));
    bytes[VERSION] = 3;
    assert_null(saved_file_parse("it", bytes, size, &e));
    assert_non_null(strstr(e.text, "it: was written by a newer Motet (format 3; this one reads 2)"));
    free(bytes);
}

static void test_every_byte(void **state)
{
    (void)state;
    size_t size;
    make(false);
    uint8_t *bytes = read_file(&size);
    struct motet_error e = {""};
    struct saved_file *r = saved_file_parse("it", bytes, size, &e);
    assert_non_null(r);
    saved_file_close(r);
    for (size_t i = 0; i < size; i++) {
        uint8_t was = bytes[i];
        bytes[i] ^= (uint8_t)(1 << random_below(8));
        e.text[0] = 0;
        assert_null(saved_file_parse("it", bytes, size, &e));
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
        struct motet_error e = {""};
        assert_null(saved_file_parse("it", bytes, i, &e));
        assert_true(e.text[0] != 0);
    }
    free(bytes);
}

/* Copies the saved run, one section of a kind changed. */
static void reseal(enum saved_section kind)
{
    struct motet_error e = {""};
    struct saved_file *r = saved_file_open(path, &e);
    struct saved_file_writer *w = saved_file_create(other, &e);
    assert_true(r && w);
    for (size_t i = 0; i < saved_file_sections(r); i++) {
        size_t size;
        uint8_t *bytes = saved_file_read(r, i, &size, &e);
        assert_non_null(bytes);
        if (saved_file_kind(r, i) == kind && size) {
            for (uint32_t n = 1 + random_below(3); n > 0; n--)
                bytes[random_below((uint32_t)size)] = (uint8_t)random_below(256);
            if (random_below(4) == 0)
                size = random_below((uint32_t)size);
        }
        saved_file_add(w, saved_file_kind(r, i), bytes, size);
        free(bytes);
    }
    assert_true(saved_file_finish(w, &e));
    saved_file_close(r);
}

/* Opens or says why not; what opens goes a little way. */
static void try_it(void)
{
    struct motet_error e = {""};
    struct motet_saved_run_info info;
    motet_saved_run *r = motet_saved_run_open(other, &(struct motet_saved_run_options){.threads = 1}, &e);
    if (!r) {
        assert_true(e.text[0] != 0);
        return;
    }
    motet_saved_run_info(r, &info);
    motet_saved_run_seek(r, 1000, &e);
    motet_saved_run_free(r);
}

static void resealed(bool network, enum saved_section kind, unsigned times)
{
    make(network);
    for (unsigned i = 0; i < times; i++) {
        reseal(kind);
        try_it();
    }
}

static void test_saved_inputs(void **state)
{
    (void)state;
    resealed(false, SECTION_INPUTS, 150);
    resealed(true, SECTION_INPUTS, 150);
}

static void test_the_rest(void **state)
{
    (void)state;
    static const enum saved_section kinds[] = {SECTION_ABOUT, SECTION_FILE, SECTION_ANALOG, SECTION_MOMENTS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        resealed(i % 2, kinds[i], 60);
}

/* Snapshots are left aside where they cannot be those of this build. */
static void test_other_build(void **state)
{
    (void)state;
    struct motet_error e = {""};
    struct motet_saved_run_info info;
    make(true);
    random_state = 5;
    struct motet_error error = {""};
    struct saved_file *r = saved_file_open(path, &error);
    struct saved_file_writer *w = saved_file_create(other, &error);
    for (size_t i = 0; i < saved_file_sections(r); i++) {
        size_t size;
        uint8_t *bytes = saved_file_read(r, i, &size, &error);
        if (saved_file_kind(r, i) == SECTION_MOMENTS)
            bytes[0] ^= 1; /* of the layout's digest */
        saved_file_add(w, saved_file_kind(r, i), bytes, size);
        free(bytes);
    }
    saved_file_close(r);
    assert_true(saved_file_finish(w, &error));
    motet_saved_run *opened = motet_saved_run_open(other, &(struct motet_saved_run_options){.threads = 1}, &e);
    assert_non_null(opened);
    motet_saved_run_info(opened, &info);
    assert_false(info.usable);
    assert_string_equal(info.reason, "they are of another build of Motet");
    char digest[MOTET_DIGEST_TEXT];
    assert_true(motet_saved_run_seek(opened, UINT64_MAX / 4, &e));
    motet_network_digest(motet_saved_run_network(opened), digest);
    assert_string_equal(digest, info.digest);
    motet_saved_run_free(opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_versions), cmocka_unit_test(test_every_byte), cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_saved_inputs),   cmocka_unit_test(test_the_rest),   cmocka_unit_test(test_other_build),
    };
    snprintf(path, sizeof path, "/tmp/motet-saved-run-%d", (int)getpid());
    snprintf(other, sizeof other, "/tmp/motet-saved-run-%d-2", (int)getpid());
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(other);
    return status;
}
