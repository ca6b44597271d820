/* Spools: what is added is read again, from several threads through one file, and memory stays small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/spool.h"

enum { SPOOLS = 8, NUMBERS = 40000 };

static uint64_t value(size_t spool, uint64_t i)
{
    return (spool + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ i;
}

static void *fill(void *context)
{
    struct spool *s = context;
    size_t number = s->last_room; /* lent for its number */
    s->last_room = 0;
    for (uint64_t i = 0; i < NUMBERS; i++) {
        uint64_t v = value(number, i);
        spool_add(s, &v, 1 + i % 8);
    }
    return NULL;
}

static void many_spools_share_a_file(void **state)
{
    struct spool_file *f = spool_file_new();
    struct spool spools[SPOOLS];
    pthread_t threads[SPOOLS];
    (void)state;
    for (size_t i = 0; i < SPOOLS; i++) {
        spool_begin(&spools[i], f);
        spools[i].last_room = i;
        pthread_create(&threads[i], NULL, fill, &spools[i]);
    }
    for (size_t i = 0; i < SPOOLS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < SPOOLS; i++) {
        struct spool_reader r;
        uint64_t v, wanted;
        spool_reader_begin(&r, &spools[i]);
        for (uint64_t k = 0; k < NUMBERS; k++) {
            v = 0;
            wanted = value(i, k);
            assert_true(spool_read(&r, &v, 1 + k % 8));
            assert_memory_equal(&v, &wanted, 1 + k % 8);
        }
        assert_false(spool_read(&r, &v, 1));
        spool_seek(&r, 36 * 1000); /* 36 bytes are eight numbers */
        wanted = value(i, 8000);
        assert_true(spool_read(&r, &v, 1));
        assert_memory_equal(&v, &wanted, 1);
        spool_reader_end(&r);
        assert_int_equal(spool_size(&spools[i]), 36 * NUMBERS / 8);
        spool_end(&spools[i]);
    }
    assert_int_equal(spool_file_error(f), 0);
    spool_file_free(f);
}

static void streams_and_copies(void **state)
{
    struct spool_file *f = spool_file_new();
    struct spool s;
    struct spool_reader r;
    char *text;
    size_t size;
    (void)state;
    spool_begin(&s, f);
    FILE *in = spool_stream(&s), *out = open_memstream(&text, &size);
    for (unsigned i = 0; i < 5000; i++)
        fprintf(in, "%04u,", i);
    fclose(in);
    spool_reader_begin(&r, &s);
    spool_copy(&r, spool_size(&s) - 1, out);
    fclose(out);
    assert_int_equal(size, 24999);
    assert_memory_equal(text + 5 * 4321, "4321,4322,", 10);
    free(text);
    spool_reader_end(&r);
    spool_end(&s);
    spool_file_free(f);
}

/* A disk without room: said, and nothing else happens. */
static void failures_are_kept(void **state)
{
    struct spool_file *f = spool_file_new();
    struct spool s;
    struct spool_reader r;
    struct rlimit before, small;
    char bytes[SPOOL_PIECE] = {1};
    (void)state;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 4 * SPOOL_PIECE;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    spool_begin(&s, f);
    for (unsigned i = 0; i < 10; i++)
        spool_add(&s, bytes, sizeof bytes);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(spool_file_error(f), EFBIG);
    spool_reader_begin(&r, &s);
    assert_false(spool_read(&r, bytes, 1));
    spool_reader_end(&r);
    spool_end(&s);
    spool_file_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_spools_share_a_file), cmocka_unit_test(streams_and_copies),
                                       cmocka_unit_test(failures_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
