/* Types, variables, expressions and values of a firmware, without running it: memory is what the image loads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/debug.h"

/* Memory as the start-up code leaves it: initialised data at the address it runs at, zeros elsewhere. */
static bool initial_memory(void *context, uint32_t address, void *to, uint32_t size)
{
    const struct image_segment *s;
    size_t count = image_segments(context, &s);
    memset(to, 0, size);
    for (size_t n = 0; n < count; n++)
        for (uint32_t k = 0; k < size; k++)
            if (address + k - s[n].run_address < s[n].size)
                ((uint8_t *)to)[k] = s[n].bytes[address + k - s[n].run_address];
    return address < 0x900000;
}

static struct image *load(const char *path)
{
    struct motet_error e = {""};
    struct image *i = image_load(path, &e);
    if (!i)
        fail_msg("%s", e.text);
    return i;
}

static void is(struct image *i, const char *expression, const char *type_name, const char *expected)
{
    struct motet_error e = {""};
    uint32_t address;
    const struct debug_type *type;
    struct debug_field bits;
    if (!debug_resolve(i, expression, initial_memory, i, &address, &type, &bits, &e))
        fail_msg("%s: %s", expression, e.text);
    uint8_t bytes[512];
    char text[400];
    assert_true(type->size <= sizeof bytes);
    assert_true(initial_memory(i, address, bytes, bits.bit_size ? 9 : type->size));
    size_t length = bits.bit_size ? debug_format_bits(&bits, bytes, text, sizeof text)
                                  : debug_format(type, bytes, text, sizeof text);
    assert_int_equal(length, strlen(text));
    if (strcmp(text, expected) != 0)
        fail_msg("%s is %s, not %s", expression, text, expected);
    if (strcmp(type->name, type_name) != 0)
        fail_msg("%s has type '%s', not '%s'", expression, type->name, type_name);
}

static void refused(struct image *i, const char *expression, const char *sentence)
{
    struct motet_error e = {""};
    uint32_t address;
    const struct debug_type *type;
    if (debug_resolve(i, expression, initial_memory, i, &address, &type, NULL, &e))
        fail_msg("%s was not refused", expression);
    if (!strstr(e.text, sentence))
        fail_msg("%s: expected '%s' in '%s'", expression, sentence, e.text);
}

/* How a pointer to what the expression names is shown. */
static const char *pointer_to(struct image *i, const char *expression)
{
    static char text[20];
    struct motet_error e;
    uint32_t address;
    const struct debug_type *type;
    assert_true(debug_resolve(i, expression, initial_memory, i, &address, &type, NULL, &e));
    snprintf(text, sizeof text, "0x%04x", address & 0xffff);
    return text;
}

/* A structure that shapes.c only declares, and shapes_opaque.c defines without having a variable of it. */
static void structures_are_found_in_other_files(void **state)
{
    (void)state;
    struct image *i = load(FIRMWARE_DIR "/shapes.elf");
    const struct debug_type *opaque = debug_variable_named(i, "unknown")->type->of;
    assert_string_equal(opaque->name, "struct opaque");
    assert_int_equal(opaque->size, 3);
    assert_int_equal(opaque->field_count, 2);
    assert_string_equal(opaque->fields[1].name, "inside");
    image_free(i);
}

static void classes_are_understood(void **state)
{
    (void)state;
    struct image *i = load(FIRMWARE_DIR "/classes.elf");
    is(i, "motor", "Motor", "{{id = 3}, speed = -4, mode = Busy}");
    is(i, "motor.id", "int", "3");
    is(i, "zone::where", "int", "5");
    is(i, "Motor::count", "int", "6");
    is(i, "twice::calls", "int", "7");
    is(i, "*which", "Motor", "{{id = 3}, speed = -4, mode = Busy}");
    is(i, "which", "Motor &", pointer_to(i, "motor"));
    refused(i, "where", "did you mean `zone::where`?");
    image_free(i);
}

static void check_variables(struct image *i)
{
    const struct debug_variable *v;
    size_t count = debug_variables(i, &v);
    assert_int_equal(count, 21);
    for (size_t n = 0; n < count; n++) {
        assert_true(n == 0 || v[n - 1].global > v[n].global ||
                    (v[n - 1].global == v[n].global && v[n - 1].address <= v[n].address));
        assert_string_equal(strrchr(v[n].file, '/'), "/shapes.c");
        assert_true(v[n].line > 40);
        const struct image_symbol *s = image_symbol_at(i, v[n].address);
        assert_non_null(s);
        assert_non_null(strstr(s->name, v[n].name)); /* a static in a function is calls.1234 or answer.calls */
        assert_int_equal(s->size, v[n].type->size);
    }
    assert_string_equal(debug_variable_named(i, "calls")->function, "answer");
    assert_null(debug_variable_named(i, "hidden")->function);
}

static void values_of(const char *path)
{
    struct image *i = load(path);
    is(i, "table", "struct route [3]",
       "{{parent = 1, etx = 10, link = LINK_UP}, {parent = 2, etx = 300, link = LINK_DOWN}, "
       "{parent = 3, etx = 65535, link = LINK_LOST}}");
    is(i, "table[2].etx", "uint16_t", "65535");
    is(i, " table [ row ] . etx ", "uint16_t", "300");
    is(i, "flags", "struct flags", "{ready = 1, channel = 26, bias = -1, wide = 1999, color = BLUE}");
    is(i, "flags.wide", "uint16_t", "1999");
    is(i, "flags.bias", "int8_t", "-1");
    is(i, "flags.color", "color_t", "BLUE");
    is(i, "head->value", "int16_t", "11");
    is(i, "head->next->value", "int16_t", "-22");
    is(i, "(*head).next[0].value", "int16_t", "-22");
    is(i, "*head->next", "struct node", "{next = 0x0000, value = -22}");
    is(i, "first.value", "int16_t", "11");
    is(i, "head", "node_t *", pointer_to(i, "first"));
    is(i, "nothing", "node_t *", "0x0000");
    is(i, "point", "point_t", "{name = \"ab\\n\\\"c\", {word = 67305985, bytes = {1, 2, 3, 4}}, at = {x = -1, y = 2}}");
    is(i, "point.bytes[2]", "uint8_t", "3");
    is(i, "point.at.x", "int8_t", "-1");
    is(i, "point.name[1]", "char", "'b'");
    is(i, "grid", "int16_t [2][3]", "{{1, 2, 3}, {4, 5, 6}}");
    is(i, "grid[row]", "int16_t [3]", "{4, 5, 6}");
    is(i, "grid[0x1][2]", "int16_t", "6");
    is(i, "(*line)[1]", "int16_t", "5");
    is(i, "line", "int16_t (*)[3]", pointer_to(i, "grid[1]"));
    is(i, "row", "uint8_t", "1");
    is(i, "done", "_Bool", "true");
    is(i, "letter", "char", "'x'");
    is(i, "ratio", "float", "1.5");
    is(i, "big", "int64_t", "-5000000000");
    is(i, "many", "uint32_t [20]", "{9, 0 <19 times>}");
    is(i, "state", "enum link", "LINK_LOST");
    is(i, "hidden", "uint8_t", "3");
    is(i, "shapes.c::hidden", "uint8_t", "3");
    is(i, "answer::calls", "uint16_t", "7");
    is(i, "calls", "uint16_t", "7");
    is(i, "*handler", "uint8_t (uint16_t, node_t *)", "{uint8_t (uint16_t, node_t *)}");
    is(i, "unknown", "struct opaque *", "0x0000");
    check_variables(i);
    image_free(i);
}

static void values_are_read_as_c_has_them(void **state)
{
    (void)state;
    values_of(FIRMWARE_DIR "/shapes.elf");
}

static void old_dwarf_says_the_same(void **state)
{
    (void)state;
    values_of(FIRMWARE_DIR "/shapes2.elf");
}

static void msp430_says_the_same(void **state)
{
    (void)state;
    FILE *built = fopen(FIRMWARE_DIR "/shapes-msp430-4.elf", "rb");
    if (!built)
        skip(); /* there is no clang-19 here */
    fclose(built);
    values_of(FIRMWARE_DIR "/shapes-msp430-4.elf");
    values_of(FIRMWARE_DIR "/shapes-msp430-5.elf");
}

static void mistakes_are_explained(void **state)
{
    (void)state;
    struct image *i = load(FIRMWARE_DIR "/shapes.elf");
    refused(i, "tabel[1]", "there is no global or static variable `tabel`; did you mean `table`?");
    refused(i, "table[1].ext", "`struct route` has no member `ext`; did you mean `etx`?");
    refused(i, "table[1].zzzzz", "it has parent, etx, link");
    refused(i, "table[3]", "`table` has 3 elements; there is no [3]");
    refused(i, "table[-1]", "there is no [-1]");
    refused(i, "table[1", "`]` is missing");
    refused(i, "(table", "`)` is missing");
    refused(i, "row[0]", "`row` is not an array but `uint8_t`");
    refused(i, "row.x", "`row` has no members: it is `uint8_t`");
    refused(i, "*row", "`*row` is not a pointer");
    refused(i, "nothing->value", "`nothing` is a null pointer");
    refused(i, "table table", "`table` after `table ` is not understood");
    refused(i, "", "a name is expected at `the end`");
    refused(i, "7", "a name is expected at `7`");
    refused(i, "main", "`main` is a symbol, but not a variable of known type");
    refused(i, "grid[table]", "cannot be used as an index");
    refused(i, "other::hidden", "there is no function or file `other` with a variable `hidden`");
    refused(i, "((((((((((((((((((((((((((((((((((((((((row", "nested too deeply");
    image_free(i);
    const char *hex = ":0100000001FE\n:00000001FF\n";
    struct motet_error e;
    i = image_parse("some.hex", hex, strlen(hex), &e);
    refused(i, "table", "some.hex says nothing about variables; compile it with -gdwarf-4");
    image_free(i);
}

static void registers_have_names(void **state)
{
    (void)state;
    struct image *i = load(FIRMWARE_DIR "/shapes.elf");
    const struct debug_variable *r;
    size_t count = debug_registers(i, &r);
    assert_true(count > 50);
    for (size_t n = 0; n < count; n++)
        assert_true(r[n].address >= 0x800000 && r[n].address <= 0x810000);
    assert_int_equal(debug_variable_named(i, "PORTB")->address, 0x800038); /* ATmega128 manual, register summary */
    image_free(i);
}

static void long_values_are_cut(void **state)
{
    (void)state;
    struct image *i = load(FIRMWARE_DIR "/shapes.elf");
    const struct debug_variable *v = debug_variable_named(i, "table");
    uint8_t bytes[64] = {0};
    char text[401];
    size_t whole = debug_format(v->type, bytes, text, 400);
    assert_true(whole > 60 && whole < 399);
    for (size_t size = 4; size < 400; size++) {
        text[size] = 'x';
        size_t length = debug_format(v->type, bytes, text, size);
        assert_int_equal(text[size], 'x');
        assert_int_equal(length, strlen(text));
        if (size <= whole)
            assert_string_equal(text + size - 4, "...");
    }
    image_free(i);
}

/* On entry to answer(), with its return address on the stack: the caller is there, and has it popped. */
static void msp430_frames_are_found(void **state)
{
    (void)state;
    FILE *built = fopen(FIRMWARE_DIR "/shapes-msp430-4.elf", "rb");
    if (!built)
        skip();
    fclose(built);
    struct image *i = load(FIRMWARE_DIR "/shapes-msp430-4.elf");
    const struct debug_variable *stack = debug_variable_named(i, "table"); /* stands for one; its first word is known */
    struct debug_frame frame = {.pc = image_symbol_named(i, "answer")->address, .registers = {[1] = stack->address}};
    struct debug_frame caller;
    uint8_t word[2];
    initial_memory(i, stack->address, word, 2);
    assert_true(debug_unwind(i, &frame, initial_memory, i, &caller));
    assert_int_equal(caller.pc, word[0] | word[1] << 8);
    assert_true(caller.after_call);
    assert_int_equal(caller.registers[1], stack->address + 2);
    assert_int_equal(caller.cfa, stack->address + 2);
    frame.pc = 0x100; /* no code is here */
    assert_false(debug_unwind(i, &frame, initial_memory, i, &caller));
    image_free(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_as_c_has_them),
        cmocka_unit_test(old_dwarf_says_the_same),
        cmocka_unit_test(msp430_says_the_same),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(structures_are_found_in_other_files),
        cmocka_unit_test(classes_are_understood),
        cmocka_unit_test(msp430_frames_are_found),
        cmocka_unit_test(registers_have_names),
        cmocka_unit_test(long_values_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
