/* Every opcode, with several second words, as avr-objdump spells it. White space and objdump's comments aside there are
 * no differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/avr/disassemble.h"

enum { OPCODES = 0x10000, SECOND_WORDS = 4 };

static const uint16_t second_words[SECOND_WORDS] = {0x0000, 0x0060, 0xabcd, 0xffff};

/* Cuts the comment and makes every run of white space one blank. */
static void normalise(char *text)
{
    char *to = text;
    text[strcspn(text, ";")] = 0;
    for (const char *from = text; *from; from++) {
        char c = *from == '\t' || *from == '\n' ? ' ' : *from;
        if (c != ' ' || (to > text && to[-1] != ' '))
            *to++ = c;
    }
    while (to > text && to[-1] == ' ')
        to--;
    *to = 0;
}

/* Each opcode is followed by its second word and two NOPs, so that objdump is in step again at the next. */
static void write_code(const char *path, uint16_t second)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (unsigned o = 0; o < OPCODES; o++) {
        const uint8_t bytes[8] = {(uint8_t)o, (uint8_t)(o >> 8), (uint8_t)second, (uint8_t)(second >> 8)};
        assert_int_equal(fwrite(bytes, 1, sizeof bytes, f), sizeof bytes);
    }
    fclose(f);
}

static void compare_line(uint32_t address, const char *objdump, uint16_t second, unsigned *wrong)
{
    uint16_t o = (uint16_t)(address / 8);
    const uint8_t code[4] = {(uint8_t)o, (uint8_t)(o >> 8), (uint8_t)second, (uint8_t)(second >> 8)};
    char ours[64], theirs[128];
    unsigned size = avr_disassemble(code, sizeof code, address, ours, sizeof ours);
    snprintf(theirs, sizeof theirs, "%s", objdump);
    normalise(theirs);
    if ((size == 2 || size == 4) && strcmp(ours, theirs) == 0)
        return;
    if (++*wrong < 20)
        print_error("%04x %04x: `%s`, avr-objdump has `%s`\n", o, second, ours, theirs);
}

static unsigned compare_all(const char *machine, uint16_t second)
{
    char path[] = "/tmp/motet-disassemble-XXXXXX", command[128], line[256];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    write_code(path, second);
    snprintf(command, sizeof command, "avr-objdump -D -z -b binary -m %s %s", machine, path);
    FILE *listing = popen(command, "r");
    assert_non_null(listing);
    unsigned seen = 0, wrong = 0;
    while (fgets(line, sizeof line, listing)) {
        char *end, *instruction = strchr(line, '\t');
        uint32_t address = (uint32_t)strtoul(line, &end, 16);
        instruction = instruction ? strchr(instruction + 1, '\t') : NULL;
        if (*end != ':' || !instruction || address % 8 != 0)
            continue;
        seen++;
        compare_line(address, instruction, second, &wrong);
    }
    pclose(listing);
    unlink(path);
    assert_int_equal(seen, OPCODES);
    return wrong;
}

static void as_objdump(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SECOND_WORDS; i++)
        assert_int_equal(compare_all(i & 1 ? "avr:51" : "avr:6", second_words[i]), 0);
}

static void lengths(void **state)
{
    (void)state;
    char text[64] = "untouched";
    const uint8_t lds[4] = {0x80, 0x91, 0x34, 0x12};
    assert_int_equal(avr_disassemble(lds, 0, 0, text, sizeof text), 0);
    assert_int_equal(avr_disassemble(lds, 1, 0, text, sizeof text), 0);
    assert_string_equal(text, "untouched");
    assert_int_equal(avr_disassemble(lds, 2, 0, text, sizeof text), 2);
    assert_string_equal(text, ".word 0x9180"); /* cut off */
    assert_int_equal(avr_disassemble(lds, 4, 0, text, sizeof text), 4);
    assert_string_equal(text, "lds r24, 0x1234");
    assert_int_equal(avr_disassemble(lds, 4, 0, text, 6), 4); /* never past the end of the text */
    assert_string_equal(text, "lds r");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_objdump), cmocka_unit_test(lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
