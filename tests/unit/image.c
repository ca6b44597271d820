/* Images: segments, symbols, lines and places of real firmwares, against binutils; Intel HEX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"

#define PLACES FIRMWARE_DIR "/places.elf"

static struct image *load(const char *path)
{
    struct motet_error e = {""};
    struct image *i = image_load(path, &e);
    if (!i)
        fail_msg("%s", e.text);
    return i;
}

static void refused(const char *text, const char *sentence)
{
    struct motet_error e = {""};
    struct image *i = image_parse("file", text, strlen(text), &e);
    if (i)
        fail_msg("was not refused: %s", text);
    if (!strstr(e.text, sentence))
        fail_msg("expected '%s' in '%s'", sentence, e.text);
}

static const struct image_segment *segment_at(const struct image *i, uint32_t run_address)
{
    const struct image_segment *s;
    size_t count = image_segments(i, &s);
    for (size_t n = 0; n < count; n++)
        if (run_address - s[n].run_address < s[n].size)
            return &s[n];
    return NULL;
}

static void elf_says_what_to_load(void **state)
{
    (void)state;
    struct image *i = load(PLACES);
    assert_string_equal(image_path(i), PLACES);
    assert_int_equal(image_machine(i), IMAGE_MACHINE_AVR);
    assert_int_equal(image_elf_flags(i) & 0x7f, 51);
    assert_string_equal(image_device(i), "atmega128");

    const struct image_segment *code = segment_at(i, 0),
                               *data = segment_at(i, image_symbol_named(i, "buffer")->address);
    const struct image_segment *eeprom = segment_at(i, 0x810000);
    assert_non_null(code);
    assert_true(code->executable);
    assert_int_equal(code->address, 0);
    assert_int_equal(code->bytes[0] | code->bytes[1] << 8, 0x940c); /* jmp, in the vector table */
    assert_non_null(data);
    assert_false(data->executable);
    assert_int_equal(data->address, code->size); /* .data is loaded after .text */
    const uint8_t *buffer = data->bytes + (image_symbol_named(i, "buffer")->address - data->run_address);
    assert_memory_equal(buffer, "\1\0\2\0\3\0\0\0", 8);
    assert_non_null(eeprom);
    assert_int_equal(eeprom->bytes[0], 42);
    assert_null(segment_at(i, image_symbol_named(i, "ticks")->address)); /* .bss */
    image_free(i);
}

static void places_are_named(void **state)
{
    (void)state;
    struct image *i = load(PLACES);
    char text[200];
    uint32_t buffer = image_symbol_named(i, "buffer")->address;
    assert_string_equal(image_place(i, buffer, text, sizeof text), "buffer");
    assert_string_equal(image_place(i, buffer + 15, text, sizeof text), "buffer+15");
    assert_string_equal(image_place(i, 0x810000, text, sizeof text), "calibration");
    assert_string_equal(image_place(i, 0x8010ff, text, sizeof text), "0x8010ff");
    assert_string_equal(image_place(i, 0x1fffe, text, sizeof text), "0x1fffe");
    assert_string_equal(image_place(i, 0, text, sizeof text), "__vectors");
    assert_string_equal(image_place(i, 4, text, sizeof text), "__vectors+0x4");
    uint32_t vector = image_symbol_named(i, "__vector_16")->address;
    assert_string_equal(image_place(i, vector, text, sizeof text), "__vector_16 (places.c:16)");
    assert_string_equal(image_place(i, vector + 2, text, sizeof text), "__vector_16+0x2 (places.c:16)");
    uint32_t bad = image_symbol_named(i, "__bad_interrupt")->address;
    assert_string_equal(image_place(i, bad, text, sizeof text), "__bad_interrupt");
    uint32_t average = image_symbol_named(i, "places_average")->address;
    assert_string_equal(image_place(i, average, text, sizeof text), "places_average (places_average.c:6)");
    assert_string_equal(image_place(i, average, text, 7), "places"); /* cut, not overrun */
    assert_null(image_symbol_named(i, "thrown_away"));
    assert_null(image_symbol_named(i, "__SP_H__"));
    assert_null(image_symbol_named(i, "places.c"));
    image_free(i);
}

static void symbols_are_sorted_and_found(void **state)
{
    (void)state;
    struct image *i = load(PLACES);
    const struct image_symbol *s;
    size_t count = image_symbols(i, &s);
    assert_true(count > 30);
    for (size_t n = 0; n < count; n++) {
        assert_true(n == 0 || s[n - 1].address <= s[n].address);
        const struct image_symbol *named = image_symbol_named(i, s[n].name);
        assert_non_null(named);
        assert_string_equal(named->name, s[n].name);
    }
    assert_null(image_symbol_named(i, "nosuch"));
    assert_null(image_symbol_named(i, ""));
    const char *near[4];
    assert_true(image_nearest_names(i, "bufer", near, 4) >= 1);
    assert_string_equal(near[0], "buffer");
    assert_int_equal(image_nearest_names(i, "qqqqqqqqqqq", near, 4), 0);
    image_free(i);
}

/* Every address of every function that avr-nm knows the size of belongs to a symbol at the same address. */
static void functions_are_where_nm_says(void **state)
{
    (void)state;
    struct image *i = load(PLACES);
    FILE *nm = popen("avr-nm -S " PLACES, "r");
    char line[300], name[200], kind;
    unsigned address, size, functions = 0;
    while (fgets(line, sizeof line, nm)) {
        if (line[17] != ' ' || sscanf(line, "%x %x %c %199s", &address, &size, &kind, name) != 4 || size == 0)
            continue;
        functions++;
        for (unsigned a = address; a < address + size; a++) {
            const struct image_symbol *s = image_symbol_at(i, a);
            if (!s || s->address != address)
                fail_msg("0x%x is in %s, not in %s", a, s ? s->name : "nothing", name);
        }
    }
    assert_int_equal(pclose(nm), 0);
    assert_true(functions >= 6);
    image_free(i);
}

static void lines_are_those_of_addr2line(const char *path)
{
    struct image *i = load(path);
    const struct image_segment *code = segment_at(i, 0);
    char command[600], function[200], place[500];
    snprintf(command, sizeof command, "seq 0 2 %u | xargs printf '0x%%x\\n' | avr-addr2line -f -e %s", code->size - 2,
             path);
    FILE *tool = popen(command, "r");
    unsigned with_lines = 0;
    for (uint32_t a = 0; a < code->size; a += 2) {
        assert_non_null(fgets(function, sizeof function, tool));
        assert_non_null(fgets(place, sizeof place, tool));
        function[strcspn(function, "\n")] = 0;
        char *colon = strrchr(place, ':');
        assert_non_null(colon);
        *colon = 0;
        int expected = atoi(colon + 1);
        struct image_line line;
        bool found = image_line_at(i, a, &line);
        const struct image_symbol *s = image_symbol_at(i, a);
        if (expected && !found && s && strcmp(s->name, function) != 0)
            continue; /* binutils takes what is after the last function of a file to be a part of it */
        if (found != (expected > 0))
            fail_msg("0x%x (%s): addr2line says line %d of %s, we say %u", a, function, expected, place,
                     found ? line.line : 0);
        if (!found)
            continue;
        with_lines++;
        if ((int)line.line != expected || strcmp(line.file, place) != 0)
            fail_msg("0x%x: addr2line says %s:%d, we say %s:%u", a, place, expected, line.file, line.line);
    }
    assert_int_equal(pclose(tool), 0);
    assert_true(with_lines > 50);
    image_free(i);
}

static void dwarf_lines_agree_with_binutils(void **state)
{
    (void)state;
    lines_are_those_of_addr2line(FIRMWARE_DIR "/places2560.elf");
}

static void stabs_lines_agree_with_binutils(void **state)
{
    (void)state;
    lines_are_those_of_addr2line(FIRMWARE_DIR "/places-stabs.elf");
    lines_are_those_of_addr2line(FIRMWARE_DIR "/places-plain.elf");
}

static void c_plus_plus_names_are_readable(void **state)
{
    (void)state;
    struct image *i = load(FIRMWARE_DIR "/classes.elf");
    char text[200];
    uint32_t twice = image_symbol_named(i, "_Z5twicei")->address;
    assert_string_equal(image_place(i, twice, text, sizeof text), "twice (classes.cpp:32)");
    uint32_t reset = image_symbol_named(i, "_ZN5Motor5resetEv")->address;
    assert_string_equal(image_place(i, reset, text, sizeof text), "Motor::reset (classes.cpp:38)");
    uint32_t end = image_symbol_named(i, "_ZN4LockD1Ev")->address;
    assert_string_equal(image_place(i, end, text, 12), "Lock::~Lock");
    image_free(i);
}

/* binutils and gdb show lines of thrown_away() for the vectors and the functions after them in this file. */
static void code_thrown_away_has_no_lines(void **state)
{
    (void)state;
    struct image *i = load(PLACES);
    const struct image_segment *code = segment_at(i, 0);
    struct image_line line;
    for (uint32_t a = 0; a < code->size; a++) {
        if (!image_line_at(i, a, &line) || strcmp(strrchr(line.file, '/'), "/places.c") != 0)
            continue;
        const struct image_symbol *s = image_symbol_at(i, a);
        assert_non_null(s);
        assert_true(strcmp(s->name, "main") == 0 || strcmp(s->name, "__vector_16") == 0);
        assert_false(line.line >= 22 && line.line <= 38);
    }
    assert_false(image_line_at(i, 0, &line));
    image_free(i);
}

/* The text has 1 2 3 4 aa bb at 0x10, 55 at 0x10000 and 77 at 0x810000. */
static struct image *three_pieces(const char *path, const char *text)
{
    struct motet_error e = {""};
    struct image *i = image_parse(path, text, strlen(text), &e);
    if (!i)
        fail_msg("%s", e.text);
    const struct image_segment *s;
    assert_int_equal(image_segments(i, &s), 3);
    assert_int_equal(s[0].address, 0x10);
    assert_int_equal(s[0].size, 6);
    assert_memory_equal(s[0].bytes, "\1\2\3\4\xaa\xbb", 6);
    assert_int_equal(s[1].address, 0x10000);
    assert_int_equal(s[1].bytes[0], 0x55);
    assert_int_equal(s[2].address, 0x810000);
    assert_int_equal(s[2].run_address, 0x810000);
    assert_int_equal(s[2].bytes[0], 0x77);
    return i;
}

static void hex_is_read(void **state)
{
    (void)state;
    const char *good = ":0400100001020304E2\r\n:02001400AABB85\r\n\r\n:020000021000EC\r\n:0100000055AA\n"
                       ":020000040081"
                       "79\n:0100000077"
                       "88\n:0400000300003800C1\n:00000001FF\n";
    struct image *i = three_pieces("good.hex", good);
    assert_int_equal(image_machine(i), IMAGE_MACHINE_UNKNOWN);
    assert_null(image_device(i));
    char place[40];
    assert_string_equal(image_place(i, 0x12, place, sizeof place), "0x12");
    image_free(i);
}

#define END ":00000001FF\n"

static void bad_hex_is_refused_with_its_line(void **state)
{
    (void)state;
    refused(":0400100001020304E3\n" END, "line 1: wrong checksum 0xe3, expected 0xe2");
    refused(":0400100001020304E2\n", "end record");
    refused(":0400100001020304E2\n:04001200010203"
            "04E0\n" END,
            "line 2: address 0x12 was already given");
    refused(":0400100001020304E2\n\n:0400100001\n" END, "line 3");
    refused(":04001000010203G4E2\n" END, "line 1, column 16");
    refused(":00000006FA\n" END, "record type 6");
    refused(":0100000400FB\n" END, "line 1: a record of type 4");
    refused(":020000040100F9\n:0100000001FE\n" END, "line 2: address 0x1000000 is beyond");
    refused(END "\n:0100000001FE\n", "line 3: there is more after the end record");
    refused(END, "nothing to load");
    refused(":0100000001FE\nhello\n" END, "line 2: does not begin with a colon");
    refused(":\n", "line 1");
    refused("", "empty");
    refused("\r\n \n", "empty");
    refused("hello, world\n", "neither ELF nor Intel HEX");
}

static void s_records_are_read(void **state)
{
    (void)state;
    const char *good = "S00600004844521B\r\nS107001001020304DE\r\nS1050014AABB81\r\n\r\nS20501000055A4\n"
                       "S3060081000077"
                       "01\nS5030004F8\nS9030000FC\n";
    image_free(three_pieces("good.srec", good));
}

#define LAST "S9030000FC\n"

static void bad_s_records_are_refused_with_their_line(void **state)
{
    (void)state;
    refused("S107001001020304DF\n" LAST, "line 1: wrong checksum 0xdf, expected 0xde");
    refused("S107001001020304DE\n", "end record (S9030000FC) is missing");
    refused("S107001001020304DE\nS1070012"
            "01020304DC\n" LAST,
            "line 2: address 0x12 was already given");
    refused("S1070010010203DE\n" LAST, "line 1: the record says it has 7 bytes, but has 6");
    refused("S10700100102030GDE\n" LAST, "line 1, column 16");
    refused("S4030000FC\n" LAST, "line 1: does not begin with S0 to S9");
    refused("S3060100000077"
            "81\n" LAST,
            "line 1: address 0x1000000 is beyond");
    refused(LAST "S107001001020304DE\n", "line 2: there is more after the end record");
    refused(LAST, "nothing to load");
    refused("S9030000FC", "nothing to load");
    refused("S1\n", "line 1");
    refused("S10300\n", "line 1");
    refused("S2030000FC\n" LAST, "line 1: the record says");
    refused("S107001001020304DE\n:00000001FF\n", "line 2: does not begin with S0 to S9");
}

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    struct motet_error e = {""};
    assert_null(image_load(FIRMWARE_DIR "/nosuch.elf", &e));
    assert_non_null(strstr(e.text, "nosuch.elf: cannot be opened: No such file"));
    assert_null(image_load(FIRMWARE_DIR, &e));
    assert_non_null(strstr(e.text, "cannot be read: Is a directory"));
    assert_null(image_load("/bin/true", &e));
    assert_non_null(strstr(e.text, "/bin/true: this ELF file is not 32-bit little-endian"));
}

/* The same firmware through avr-objcopy as HEX has the same bytes. */
static void hex_and_elf_agree(void **state)
{
    (void)state;
    assert_int_equal(system("avr-objcopy -O ihex -R .eeprom " PLACES " " FIRMWARE_DIR "/places.hex"), 0);
    struct image *elf = load(PLACES), *hex = load(FIRMWARE_DIR "/places.hex");
    const struct image_segment *e, *h;
    size_t count = image_segments(elf, &e);
    assert_int_equal(image_segments(hex, &h), 1); /* .text and .data touch */
    unsigned compared = 0;
    for (size_t n = 0; n < count; n++) {
        if (e[n].address >= 0x800000)
            continue;
        assert_memory_equal(h[0].bytes + e[n].address, e[n].bytes, e[n].size);
        compared += e[n].size;
    }
    assert_int_equal(compared, h[0].size);
    image_free(elf);
    image_free(hex);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elf_says_what_to_load),
        cmocka_unit_test(places_are_named),
        cmocka_unit_test(symbols_are_sorted_and_found),
        cmocka_unit_test(functions_are_where_nm_says),
        cmocka_unit_test(dwarf_lines_agree_with_binutils),
        cmocka_unit_test(stabs_lines_agree_with_binutils),
        cmocka_unit_test(c_plus_plus_names_are_readable),
        cmocka_unit_test(code_thrown_away_has_no_lines),
        cmocka_unit_test(hex_is_read),
        cmocka_unit_test(bad_hex_is_refused_with_its_line),
        cmocka_unit_test(s_records_are_read),
        cmocka_unit_test(bad_s_records_are_refused_with_their_line),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(hex_and_elf_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
