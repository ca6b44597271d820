/* Interface logs: what was written is read, whatever is damaged, and no bytes crash the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "interface/format.h"
#include "interface/log.h"

enum { EVENTS = 3000 }; /* several blocks */

static struct interface_parameter parameters[] = {
    {"p", {INTERFACE_POINTER, 2, "struct radio_packet *"}},
    {"wide", {INTERFACE_STRUCT, 12, "struct wide"}},
};
static struct interface_buffer buffers[] = {
    {.expression = "*p", .at_call = true},
    {.expression = "p->data[p->length]", .at_call = true, .content = true},
};
static struct interface_field fields[] = {
    {.name = "to", .place = INTERFACE_IN_BUFFER, .index = 0, .offset = 1, .size = 2},
    {.name = "type", .place = INTERFACE_IN_BUFFER, .index = 0, .offset = 1, .size = 2, .big_endian = true},
    {.name = "accepted", .place = INTERFACE_IN_RESULT, .size = 1},
};
static struct interface_function functions[] = {
    {.name = "radio_send",
     .file = "radio.c",
     .line = 7,
     .address = 0x1234,
     .role = INTERFACE_ROLE_SEND,
     .result = {INTERFACE_BOOL, 1, "_Bool"},
     .parameters = parameters,
     .parameter_count = 2,
     .buffers = buffers,
     .buffer_count = 2,
     .fields = fields,
     .field_count = 3},
    {.name = "resume", .file = "", .inside = true, .handler = true, .result = {INTERFACE_VOID, 0, "void"}},
};
static struct interface_variable variables[] = {
    {.name = "cost", .file = "route.c", .line = 3, .address = 0x200, .size = 2, .kind = INTERFACE_SHARED},
};
static const struct interface_header header = {
    .build = 0x1122334455667788,
    .node = 5,
    .epoch = 2,
    .hertz = 32768,
    .time_bits = 64,
    .origin = UINT64_MAX,
    .firmware = "app.elf",
    .target = "route.c",
    .pointer_size = 2,
    .functions = functions,
    .function_count = 2,
    .variables = variables,
    .variable_count = 1,
};

static uint8_t object[4] = {9, 0x34, 0x12, 8}, content[3] = "abc", wide[12] = "abcdefghijk";

/* A file in memory: begin, a snapshot, then calls out with their returns, of which some are in a handler's call. */
static uint8_t *written(size_t *size, uint64_t lost)
{
    char *bytes;
    FILE *out = open_memstream(&bytes, size);
    struct interface_writer w;
    struct interface_event e = {.kind = INTERFACE_BEGIN, .reason = INTERFACE_SWITCHED_ON};
    interface_write_begin(&w, &header, out);
    interface_write(&w, &e);
    e = (struct interface_event){.kind = INTERFACE_SNAPSHOT, .bytes = {{.bytes = content}}};
    interface_write(&w, &e);
    if (lost) {
        e = (struct interface_event){.kind = INTERFACE_GAP, .lost = lost};
        interface_write(&w, &e);
    }
    for (uint64_t i = 0; i < EVENTS; i++) {
        e = (struct interface_event){.kind = i % 2 ? INTERFACE_RETURN_OUT : INTERFACE_CALL_OUT, .time = i * 10};
        e.values[0] = i % 2 ? 1 : 0x345;
        e.wide[1] = wide;
        e.byte_count = i % 2 ? 0 : 2;
        e.bytes[0] = (struct interface_bytes){.buffer = 0, .address = 0x345, .size = 4, .bytes = object};
        e.bytes[1] = (struct interface_bytes){.buffer = 1, .address = 0x400, .size = 3, .bytes = content};
        interface_write(&w, &e);
    }
    e = (struct interface_event){.kind = INTERFACE_RESET, .time = 3};
    interface_write(&w, &e);
    e = (struct interface_event){.kind = INTERFACE_CALL_IN, .function = 1, .time = 4, .interrupts = true, .pc = 0x42};
    e.position = 17;
    interface_write(&w, &e);
    assert_true(interface_write_end(&w));
    fclose(out);
    return (uint8_t *)bytes;
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    size_t size;
    uint64_t value;
    uint8_t *bytes = written(&size, 40);
    struct interface_reader r;
    struct interface_event e;
    struct motet_error error;
    assert_true(interface_open_bytes(&r, "log", bytes, size, &error));
    assert_int_equal(r.header.build, header.build);
    assert_string_equal(r.header.functions[0].parameters[1].type.name, "struct wide");
    assert_true(r.header.functions[1].inside && r.header.functions[1].handler);
    assert_int_equal(interface_count(&r), EVENTS + 4);
    assert_true(interface_next(&r, &e) && e.kind == INTERFACE_BEGIN && e.reason == INTERFACE_SWITCHED_ON);
    assert_true(interface_next(&r, &e) && e.kind == INTERFACE_SNAPSHOT && e.bytes[0].size == 2);
    assert_int_equal(e.address, 0x200);
    assert_true(interface_next(&r, &e) && e.kind == INTERFACE_GAP && e.lost == 40 && e.order == 2);
    for (uint64_t i = 0; i < EVENTS; i++) {
        assert_true(interface_next(&r, &e));
        assert_int_equal(e.order, 42 + i);
        assert_int_equal(e.time, i * 10);
        assert_int_equal(e.depth, 0);
        assert_int_equal(e.epoch, 2);
        if (i % 2) {
            assert_true(interface_number(&r.header, &e, "accepted", &value) && value == 1);
            assert_false(interface_number(&r.header, &e, "to", &value));
            continue;
        }
        assert_int_equal(e.values[0], 0x345);
        assert_memory_equal(e.wide[1], wide, sizeof wide);
        assert_memory_equal(interface_content(&r.header, &e)->bytes, "abc", 3);
        assert_true(interface_number(&r.header, &e, "to", &value) && value == 0x1234);
        assert_true(interface_number(&r.header, &e, "type", &value) && value == 0x3412);
    }
    assert_true(interface_next(&r, &e) && e.kind == INTERFACE_RESET && e.epoch == 3 && e.time == 3);
    assert_true(interface_next(&r, &e) && e.interrupts && e.position == 17 && e.pc == 0x42 && e.time == 4);
    assert_false(interface_next(&r, &e));
    assert_false(r.cut || r.damaged);
    interface_close(&r);
    free(bytes);
}

/* A byte of the second block is changed: its events are a gap of known size, and all others are there. */
static void a_damaged_block_is_a_gap(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = written(&size, 0);
    struct interface_reader r;
    struct interface_event e;
    struct motet_error error;
    uint64_t seen = 0, lost = 0, next = 0;
    assert_true(interface_open_bytes(&r, "log", bytes, size, &error));
    bytes[r.next_block + INTERFACE_BLOCK + 500] ^= 1;
    while (interface_next(&r, &e)) {
        assert_int_equal(e.order, next);
        next += e.kind == INTERFACE_GAP ? e.lost : 1;
        seen += e.kind != INTERFACE_GAP;
        lost += e.kind == INTERFACE_GAP ? e.lost : 0;
    }
    assert_int_equal(r.damaged, 1);
    assert_true(lost > 100);
    assert_int_equal(seen + lost, EVENTS + 4);
    interface_close(&r);
    free(bytes);
}

static void a_file_cut_anywhere_gives_what_is_whole(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = written(&size, 0);
    struct motet_error error;
    for (size_t cut = 0; cut < size; cut += cut < 600 ? 1 : 97) {
        struct interface_reader r;
        struct interface_event e;
        uint64_t count = 0;
        uint8_t *part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        if (interface_open_bytes(&r, "log", part, cut, &error)) {
            while (interface_next(&r, &e))
                assert_int_equal(e.order, count++);
            assert_true(r.cut || r.next_block == cut);
            interface_close(&r);
        }
        free(part);
    }
    free(bytes);
}

/* Bytes changed at random, with checks that are right again: the reader refuses or gives gaps. */
static void no_bytes_crash_the_reader(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bytes = written(&size, 0);
    uint32_t random = 1;
    for (unsigned round = 0; round < 3000; round++) {
        struct interface_reader r;
        struct interface_event e;
        struct motet_error error;
        uint8_t *changed = malloc(size);
        memcpy(changed, bytes, size);
        size_t at = INTERFACE_MAGIC_SIZE, body = 0;
        for (unsigned i = 0; i <= round % 2; i++, at += 8 + body) {
            memcpy(&body, changed + at, 4);
            for (unsigned k = 0; k < 3 && i == round % 2; k++) {
                random = random * 1664525 + 1013904223;
                changed[at + 8 + (random >> 8) % body] = (uint8_t)(random >> 3);
            }
            uint32_t check = (uint32_t)digest_of(changed + at + 8, body).low;
            memcpy(changed + at + 4, &check, 4);
        }
        if (interface_open_bytes(&r, "log", changed, size, &error)) {
            for (unsigned i = 0; i < 2 * EVENTS && interface_next(&r, &e); i++)
                interface_content(&r.header, &e);
            interface_close(&r);
        }
        free(changed);
    }
    free(bytes);
}

static void what_is_no_interface_log_is_refused(void **state)
{
    (void)state;
    struct interface_reader r;
    struct motet_error error;
    assert_false(interface_open_bytes(&r, "x.log", "motetlog\1\0", 10, &error));
    assert_string_equal(error.text,
                        "x.log is no interface log; motet run --log-interface and motet collect write them");
    assert_false(interface_open_bytes(&r, "x.log", "motetif9", 8, &error));
    assert_non_null(strstr(error.text, "another version"));
    assert_false(interface_open_bytes(&r, "x.log", "motetif1", 8, &error));
    assert_non_null(strstr(error.text, "ends within its header"));
    assert_false(interface_open(&r, "/nonexistent.ilog", &error));
    assert_non_null(strstr(error.text, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(a_damaged_block_is_a_gap),
        cmocka_unit_test(a_file_cut_anywhere_gives_what_is_whole),
        cmocka_unit_test(no_bytes_crash_the_reader),
        cmocka_unit_test(what_is_no_interface_log_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
