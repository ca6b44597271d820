/* Times, frequencies, voltages and numbers as a person writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "motet/amount.h"

static void times_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t nanoseconds;
    } good[] = {
        {"0", 0},
        {"12.5", 12500000000},
        {"12.5s", 12500000000},
        {"3ms", 3000000},
        {"1.5ms", 1500000},
        {"200us", 200000},
        {"0.001us", 1},
        {"7ns", 7},
        {"1m", 60000000000},
        {"1min", 60000000000},
        {"0.5h", 1800000000000},
        {".5s", 500000000},
        {"5.s", 5000000000},
        {"9223372036854775807ns", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct motet_span s;
        struct motet_error e = {"untouched"};
        assert_true(motet_read_time(good[i].text, &s, &e));
        assert_false(s.in_ticks);
        assert_int_equal(s.nanoseconds, good[i].nanoseconds);
        assert_string_equal(e.text, "untouched");
    }
}

static void ticks_are_ticks(void **state)
{
    (void)state;
    struct motet_span s;
    struct motet_error e;
    assert_true(motet_read_time("@160000", &s, &e));
    assert_true(s.in_ticks);
    assert_int_equal(motet_span_ticks(&s, 16000000), 160000);
    assert_int_equal(motet_span_ticks(&s, 1), 160000);
    assert_true(motet_read_time("20us", &s, &e));
    assert_int_equal(motet_span_ticks(&s, 7372800), 147); /* 147.456 */
    assert_int_equal(motet_span_ticks(&s, 1000000000), 20000);
    assert_true(motet_read_time("2000000h", &s, &e));
    assert_int_equal(motet_span_ticks(&s, 7372800), UINT64_C(53084160000000000));
    assert_true(motet_read_time("9223372036s", &s, &e)); /* past the last tick there can be */
    assert_int_equal(motet_span_ticks(&s, 16000000000), MOTET_NEVER - 1);
}

static void what_is_no_time_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "is not a time"},
        {"s", "is not a time"},
        {".", "is not a time"},
        {"-1s", "is not a time"},
        {"+1s", "is not a time"},
        {" 1s", "is not a time"},
        {"1s ", "is not a time"},
        {"1 s", "is not a time"},
        {"1.2.3s", "is not a time"},
        {"1e3s", "is not a time"},
        {"0x10s", "is not a time"},
        {"nan", "is not a time"},
        {"inf", "is not a time"},
        {"3days", "is not a time"},
        {"@", "is not a time"},
        {"@-1", "is not a time"},
        {"@1s", "is not a time"},
        {"@1.5", "finer"},
        {"0.5ns", "finer"},
        {"1.0000000001s", "finer"},
        {"9223372037s", "too long"},
        {"3000000h", "too long"},
        {"@9223372036854775808", "too long"},
        {"111111111111111111111111111s", "too long"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct motet_span s;
        struct motet_error e = {""};
        assert_false(motet_read_time(bad[i].text, &s, &e));
        if (!strstr(e.text, bad[i].why))
            fail_msg("'%s': %s", bad[i].text, e.text);
    }
}

static void other_amounts_are_exact_too(void **state)
{
    (void)state;
    struct motet_error e;
    uint64_t value;
    int32_t microvolts;
    assert_true(motet_read_hertz("7.3728MHz", &value, &e));
    assert_int_equal(value, 7372800);
    assert_true(motet_read_hertz("32.768k", &value, &e));
    assert_int_equal(value, 32768);
    assert_false(motet_read_hertz("999", &value, &e));
    assert_false(motet_read_hertz("2000MHz", &value, &e));
    assert_false(motet_read_hertz("16mhz", &value, &e));
    assert_true(motet_read_voltage("-1.25V", &microvolts, &e));
    assert_int_equal(microvolts, -1250000);
    assert_true(motet_read_voltage("1200mV", &microvolts, &e));
    assert_int_equal(microvolts, 1200000);
    assert_false(motet_read_voltage("--1", &microvolts, &e));
    assert_false(motet_read_voltage("1001V", &microvolts, &e));
    assert_true(motet_read_number("0xff", 255, &value, &e));
    assert_int_equal(value, 255);
    assert_true(motet_read_number("010", 255, &value, &e));
    assert_int_equal(value, 10);
    assert_false(motet_read_number("256", 255, &value, &e));
    assert_false(motet_read_number("0x", 255, &value, &e));
    assert_false(motet_read_number("-1", UINT64_MAX, &value, &e));
    assert_false(motet_read_number("99999999999999999999", UINT64_MAX, &value, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_exact),
        cmocka_unit_test(ticks_are_ticks),
        cmocka_unit_test(what_is_no_time_is_said),
        cmocka_unit_test(other_amounts_are_exact_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
