/* Paged memories: sharing, copy on write, digests of contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/pages.h"

static void a_view_keeps_what_it_had(void **state)
{
    (void)state;
    struct pages *a = pages_new(1000, 0xff);
    pages_set(a, 999, 1);
    struct pages *b = pages_share(a);
    pages_set(a, 999, 2);
    pages_set(b, 0, 3);
    assert_int_equal(pages_get(a, 999), 2);
    assert_int_equal(pages_get(a, 0), 0xff);
    assert_int_equal(pages_get(b, 999), 1);
    assert_int_equal(pages_get(b, 0), 3);
    assert_true(pages_same(a, b, 300));
    assert_false(pages_same(a, b, 0));
    pages_free(a);
    assert_int_equal(pages_get(b, 999), 1);
    pages_free(b);
}

static void ranges_cross_pages(void **state)
{
    (void)state;
    uint8_t in[700], out[700];
    for (size_t i = 0; i < sizeof in; i++)
        in[i] = (uint8_t)(i * 7);
    struct pages *a = pages_new(2048, 0);
    pages_write(a, 200, in, sizeof in);
    pages_read(a, 200, out, sizeof out);
    assert_memory_equal(in, out, sizeof in);
    pages_fill(a, 200, 0, sizeof in);
    struct pages *blank = pages_new(2048, 0);
    assert_true(digest_equal(pages_digest(a), pages_digest(blank)));
    pages_free(a);
    pages_free(blank);
}

static void equal_contents_have_equal_digests(void **state)
{
    (void)state;
    struct pages *a = pages_new(4096, 0xff), *b = pages_new(4096, 0xff);
    struct digest before = pages_digest(a);
    pages_set(a, 17, 1);
    assert_false(digest_equal(pages_digest(a), before));
    struct pages *c = pages_share(a);
    pages_set(c, 17, 0xff);
    assert_true(digest_equal(pages_digest(c), before));
    pages_set(b, 17, 1);
    assert_true(digest_equal(pages_digest(a), pages_digest(b)));
    pages_free(a), pages_free(b), pages_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_view_keeps_what_it_had),
        cmocka_unit_test(ranges_cross_pages),
        cmocka_unit_test(equal_contents_have_equal_digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
