/* Calls that are made short: those that reach, of functions that the compiler put there, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../src/rewrite/listing.c"
#include "../../src/rewrite/near.c"

static char text[200000];

/* What becomes of `first`, then so many long instructions, then `last`. */
static const char *shortened(const char *first, unsigned between, const char *last)
{
    struct motet_error e = {""};
    char path[] = "/tmp/near_calls_XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *f = fdopen(descriptor, "wb");
    fputs(first, f);
    for (unsigned i = 0; i < between; i++)
        fputs("\tlds r24,motet_count\n", f);
    fputs(last, f);
    fclose(f);
    assert_true(near_calls(path, &e));
    f = fopen(path, "rb");
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    unlink(path);
    return text;
}

#define SECTION(name) "\t.section\t.text." name ",\"ax\",@progbits\n" name ":\n"

static void what_reaches_is_short(void **state)
{
    (void)state;
    const char *s = shortened(SECTION("one") "\tcall two\n\tjmp two\n", 10, SECTION("two") "\tcall one\n\tret\n");
    assert_non_null(strstr(s, "\trcall two\n\trjmp two\n"));
    assert_non_null(strstr(s, "\trcall one\n"));
}

static void what_does_not_reach_stays(void **state)
{
    (void)state;
    const char *s = shortened(SECTION("one") "\tcall two\n", REACH / 4 + 1, SECTION("two") "\tjmp one\n");
    assert_non_null(strstr(s, "\tcall two\n"));
    assert_non_null(strstr(s, "\tjmp one\n"));
}

/* Of the library, after other sections, of other names that begin so, and into a function. */
static void what_is_not_known_stays(void **state)
{
    (void)state;
    const char *s = shortened("\t.pushsection .text.stubs\nstub:\n\tcall one\n\t.popsection\n" SECTION("one"), 0,
                              "\tcall memcpy\n\tcall on\n\tjmp one+4\n\tcall stub\n\t.section\t.rodata\nthere:\n"
                              "\t.section\t.text.two,\"ax\",@progbits\n\tcall there\n");
    assert_non_null(strstr(s, "stub:\n\tcall one\n"));
    assert_non_null(strstr(s, "\tcall memcpy\n\tcall on\n\tjmp one+4\n\tcall stub\n"));
    assert_non_null(strstr(s, "\tcall there\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_reaches_is_short),
        cmocka_unit_test(what_does_not_reach_stays),
        cmocka_unit_test(what_is_not_known_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
