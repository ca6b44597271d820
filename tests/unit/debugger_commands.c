/* The commands that debugger faces share (src/debugger): their answers as data, which say what the text says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "debugger/commands.h"

struct fixture {
    motet_machine *machine;
    motet_network *network;
    struct commands commands;
    struct answer answer;
};

static struct fixture begin(const char *firmware, const char *board, unsigned nodes)
{
    struct fixture f = {.machine = NULL};
    struct motet_error e = {""};
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    struct motet_medium medium;
    struct motet_timeline_options how = {.memory = 4 << 20};
    char path[512];
    o.board = board;
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    f.machine = motet_machine_load(path, &o, &e);
    if (!f.machine)
        fail_msg("%s", e.text);
    motet_medium_default(&medium);
    f.network = motet_network_new(1, 1, &medium, &e);
    for (uint32_t i = 0; i < nodes; i++)
        assert_non_null(motet_network_add(f.network, f.machine, &(struct motet_place){.id = 10 + i, .x = 5 * i}, &e));
    f.commands.timeline = motet_timeline_of_network(f.network, &how);
    f.commands.until = MOTET_NEVER;
    return f;
}

static void end(struct fixture *f)
{
    answer_free(&f->answer);
    motet_timeline_free(f->commands.timeline);
    motet_network_free(f->network);
    motet_machine_free(f->machine);
}

static const struct answer *obey(struct fixture *f, const char *line)
{
    answer_free(&f->answer);
    commands_obey(&f->commands, line, &f->answer);
    return &f->answer;
}

static uint64_t number(const struct answer *a, size_t row, const char *name)
{
    const struct answer_field *field = answer_field(a, row, name);
    if (!field || field->text)
        fail_msg("row %zu has no number %s", row, name);
    return field->number;
}

static const char *text(const struct answer *a, size_t row, const char *name)
{
    const struct answer_field *field = answer_field(a, row, name);
    if (!field || !field->text)
        fail_msg("row %zu has no text %s", row, name);
    return field->text;
}

static void moments_are_rows(void **state)
{
    (void)state;
    struct fixture f = begin("debug-counter", "uno", 1);
    const struct answer *a = obey(&f, "seek 3.5ms");
    assert_true(a->moved && !a->refused);
    assert_int_equal(a->rows, 1);
    assert_int_equal(number(a, 0, "time"), 3500000);
    assert_int_equal(number(a, 0, "tick"), 56000);
    assert_string_equal(text(a, 0, "standing"), "asleep");
    assert_string_equal(text(a, 0, "place"), "main+0x2c (counter.c:40)");
    assert_non_null(strstr(text(a, 0, "source"), "sleep_mode();"));
    a = obey(&f, "last-write total");
    assert_false(a->moved);
    assert_int_equal(number(a, 0, "tick"), 48165);
    assert_string_equal(text(a, 0, "before"), "0e 00");
    assert_string_equal(text(a, 0, "after"), "1e 00");
    a = obey(&f, "when");
    assert_int_equal(number(a, 0, "tick"), 56000); /* a search ends where it began */
    a = obey(&f, "check");
    assert_int_equal(number(a, 0, "checkpoint"), 1);
    end(&f);
}

static void lists_are_rows(void **state)
{
    (void)state;
    struct fixture f = begin("network-cc2420-busy", "micaz", 3);
    const struct answer *a = obey(&f, "seek 100ms");
    a = obey(&f, "nodes");
    assert_int_equal(a->rows, 3);
    assert_int_equal(number(a, 2, "node"), 12);
    assert_string_equal(text(a, 1, "board"), "micaz");
    a = obey(&f, "packets 4");
    assert_int_equal(a->rows, 4);
    for (size_t i = 1; i < 4; i++)
        assert_true(number(a, i, "ended") >= number(a, i - 1, "ended"));
    assert_true(number(a, 3, "ended") <= 100000000);
    a = obey(&f, "where node *");
    assert_true(a->rows >= 3);
    assert_int_equal(number(a, 0, "level"), 0);
    a = obey(&f, "where node 11");
    assert_int_equal(number(a, 0, "node"), 11);
    end(&f);
}

static void refusals_have_no_rows(void **state)
{
    static const char *const lines[] = {"",          "dance",       "res",     "seek",         "seek never",
                                        "restart 1", "last-write",  "where x", "where node 7", "packets -1",
                                        "pin",       "send",        "save",    "help none",    "last-write x",
                                        "1:",        "packets 1001"};
    (void)state;
    struct fixture f = begin("debug-counter", "uno", 2);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct answer *a = obey(&f, lines[i]);
        if (!a->refused || a->rows || !a->text || a->text[a->length - 1] != '\n')
            fail_msg("'%s' should be refused in a sentence: %s", lines[i], a->text ? a->text : "(nothing)");
    }
    end(&f);
}

/* Every command is in help, with what it takes; and no two have the same name. */
static void help_is_the_table(void **state)
{
    (void)state;
    struct fixture f = begin("debug-counter", "uno", 1);
    const struct command *c, *other;
    const struct answer *a = obey(&f, "help");
    size_t row = 0;
    for (size_t i = 0; (c = commands_at(&f.commands, i)); i++) {
        if (c->help)
            assert_string_equal(text(a, row++, "name"), c->name);
        for (size_t k = 0; k < i && (other = commands_at(&f.commands, k)); k++)
            assert_string_not_equal(other->name, c->name);
    }
    assert_int_equal(row, a->rows);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_are_rows),
        cmocka_unit_test(lists_are_rows),
        cmocka_unit_test(refusals_have_no_rows),
        cmocka_unit_test(help_is_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
