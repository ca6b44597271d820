/* The public interface, as a program that embeds the library uses it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "motet/motet.h"
#include "unit/one_node.h"

static motet_machine *load(const char *firmware, const char *board)
{
    struct motet_options o = MOTET_OPTIONS_DEFAULT;
    struct motet_error e = {""};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.elf", FIRMWARE_DIR, firmware);
    o.board = board;
    motet_machine *m = motet_machine_load(path, &o, &e);
    if (!m)
        fail_msg("%s", e.text);
    return m;
}

static void test_boards(void **state)
{
    (void)state;
    struct motet_board_info b;
    size_t count = 0;
    bool chips = false;
    for (; motet_board(count, &b); count++) {
        assert_non_null(b.name);
        assert_true(b.hz > 0);
        assert_true(b.is_chip || !chips); /* boards come first */
        chips |= b.is_chip;
    }
    assert_true(count > 5);
    assert_false(motet_board(count + 1000, &b));
}

static void test_pins_and_leds(void **state)
{
    (void)state;
    motet_machine *m = load("cli-hello", "uno");
    struct motet_led led;
    char name[8];
    assert_true(motet_machine_led(m, 0, &led));
    assert_string_equal(led.name, "L");
    assert_int_equal(motet_machine_pin_named(m, "PB5"), (int)led.pin);
    assert_true(motet_machine_pin_name(m, led.pin, name));
    assert_string_equal(name, "PB5");
    assert_false(motet_machine_led(m, 1, &led));
    assert_int_equal(motet_machine_pin_named(m, "PX5"), -1);
    assert_int_equal(motet_machine_pin_named(m, ""), -1);
    assert_false(motet_machine_pin_name(m, 1000, name));
    assert_true(motet_machine_has_serial(m, 0));
    assert_false(motet_machine_has_serial(m, 1));
    assert_false(motet_machine_has_serial(m, 1000));

    motet_node *n = one_node(m, 0, 0);
    assert_false(motet_node_led(n, 0));
    assert_int_equal(one_node_run(n, 8000), MOTET_NETWORK_TIME);
    assert_true(motet_node_led(n, 0));
    assert_int_equal(one_node_run(n, MOTET_NEVER), MOTET_NETWORK_ENDED);
    assert_int_equal(motet_node_exit(n), MOTET_EXIT_FIRMWARE);
    assert_false(motet_node_led(n, 0));
    assert_false(motet_node_led(n, 1));
    one_node_free(n);
    motet_machine_free(m);
}

static void test_fault_without_observer(void **state)
{
    (void)state;
    motet_machine *m = load("fault-stack_frame", NULL);
    motet_node *n = one_node(m, 0, 0);
    assert_null(motet_node_fault(n));
    motet_network_snapshot *start = motet_network_snapshot_take(motet_node_network(n));
    assert_int_equal(one_node_run(n, MOTET_NEVER), MOTET_NETWORK_ENDED);
    assert_int_equal(motet_node_exit(n), MOTET_EXIT_FAULT);
    const struct motet_fault *f = motet_node_fault(n);
    assert_non_null(f);
    assert_int_equal(f->kind, MOTET_FAULT_STACK_OVERFLOW);
    assert_string_equal(motet_fault_name(f->kind), "stack-overflow");
    assert_null(motet_fault_name(MOTET_FAULT_KINDS));

    char text[4096];
    size_t length = motet_node_explain(n, f, text, sizeof text);
    assert_int_equal(length, strlen(text));
    assert_int_equal(text[length - 1], '\n');
    assert_non_null(strstr(text, "stack overflow at decode+0x"));
    assert_non_null(strstr(text, "main (stack_frame.c:19)"));

    /* However little room there is, the text ends where it must. */
    for (size_t size = 0; size < length + 2; size++) {
        char piece[4096];
        memset(piece, '#', sizeof piece);
        size_t used = motet_node_explain(n, f, piece, size);
        assert_true(used < size || (used == 0 && size == 0));
        assert_int_equal(piece[size], '#');
        assert_memory_equal(piece, text, used);
    }

    motet_network_snapshot_restore(motet_node_network(n), start);
    assert_null(motet_node_fault(n));
    motet_network_snapshot_free(start);
    one_node_free(n);
    motet_machine_free(m);
}

static unsigned warnings;

static void count_warning(void *context, const motet_node *n, const struct motet_fault *f)
{
    char text[1024];
    (void)context;
    warnings++;
    motet_node_explain(n, f, text, sizeof text);
    assert_non_null(strstr(text, "null pointer write at update+0x"));
    assert_non_null(strstr(text, "main+0x"));
}

static void test_fault_warned_of(void **state)
{
    (void)state;
    motet_machine *m = load("fault-null_write", NULL);
    motet_node *n = one_node(m, 0, 0);
    struct motet_observer o = {.fault = count_warning};
    motet_node_observe(n, &o);
    motet_node_on_fault(n, MOTET_FAULT_NULL_WRITE, MOTET_FAULT_WARN);
    assert_int_equal(one_node_run(n, MOTET_NEVER), MOTET_NETWORK_ENDED);
    assert_int_equal(motet_node_exit(n), MOTET_EXIT_FIRMWARE);
    assert_int_equal(warnings, 1);
    assert_non_null(motet_node_fault(n));
    one_node_free(n);

    n = one_node(m, 0, 0);
    motet_node_on_fault(n, MOTET_FAULT_NULL_WRITE, MOTET_FAULT_IGNORE);
    assert_int_equal(one_node_run(n, MOTET_NEVER), MOTET_NETWORK_ENDED);
    assert_int_equal(motet_node_exit(n), MOTET_EXIT_FIRMWARE);
    assert_null(motet_node_fault(n));
    one_node_free(n);
    motet_machine_free(m);
}

static void test_frames(void **state)
{
    (void)state;
    motet_machine *m = load("fault-stack_recursion", NULL);
    motet_node *n = one_node(m, 0, 0);
    struct motet_frame frames[300], few[3];
    char place[128];
    assert_int_equal(one_node_run(n, 7500), MOTET_NETWORK_TIME);
    size_t count = motet_node_frames(n, frames, 300);
    assert_true(count > 10 && count < 300);
    assert_int_equal(frames[0].pc, motet_node_pc(n));
    for (size_t i = 1; i + 1 < count; i++) {
        assert_false(frames[i].guessed);
        assert_memory_equal(motet_machine_place(m, frames[i].pc, place, sizeof place), "sum+0x", 6);
    }
    assert_int_equal(motet_node_frames(n, few, 3), 3);
    assert_int_equal(few[2].pc, frames[2].pc);
    assert_int_equal(motet_node_frames(n, NULL, 0), 0);
    one_node_free(n);
    motet_machine_free(m);
}

static void test_next(void **state)
{
    (void)state;
    motet_machine *m = load("cli-sleeper-alone", NULL);
    motet_node *n = one_node(m, 0, 0);
    assert_int_equal(motet_node_next(n), 0);
    assert_int_equal(one_node_run(n, 160000), MOTET_NETWORK_TIME);
    assert_true(motet_node_sleeping(n));
    assert_true(motet_node_next(n) == MOTET_NEVER);
    assert_int_equal(one_node_run(n, MOTET_NEVER), MOTET_NETWORK_IDLE);
    one_node_free(n);
    motet_machine_free(m);
}

static void test_firmware_taken_apart(void **state)
{
    (void)state;
    motet_machine *m = load("fault-executes_data", NULL);
    struct motet_firmware f;
    struct motet_instruction i;
    struct motet_symbol s;
    uint32_t at = 0, used = 0;
    motet_machine_firmware(m, &f);
    assert_string_equal(f.built_for, "atmega328p");
    for (; motet_machine_instruction(m, at, &i); at += i.size) {
        assert_true(i.size >= 1 && i.size <= 4);
        used += i.kind == MOTET_CODE_ERASED ? 0 : i.size;
    }
    assert_int_equal(at, f.flash_size);
    assert_int_equal(used, f.flash_used);
    bool found = false;
    for (size_t k = 0; motet_machine_symbol(m, k, &s); k++)
        if (strcmp(s.name, "table") == 0) {
            found = true;
            assert_int_equal(s.kind, MOTET_SYMBOL_VARIABLE);
            assert_int_equal(s.size, 8);
            assert_true(motet_machine_instruction(m, s.address, &i));
            assert_int_equal(i.kind, MOTET_CODE_DATA);
            assert_string_equal(i.label, "table");
        }
    assert_true(found);
    motet_machine_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boards),
        cmocka_unit_test(test_pins_and_leds),
        cmocka_unit_test(test_fault_without_observer),
        cmocka_unit_test(test_fault_warned_of),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_firmware_taken_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
