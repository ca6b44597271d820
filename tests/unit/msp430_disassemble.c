/* Every opcode as text, and back through LLVM's assembler: the same words must come out. What LLVM cannot assemble is
 * spelt out below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "isa/msp430/code.h"
#include "isa/msp430/disassemble.h"

enum { PIECE = 0x1000, SLOT = 8, BASE = 0x4000 };

static void expect(uint16_t o, uint16_t one, uint16_t two, unsigned size, const char *text)
{
    const uint8_t code[6] = {(uint8_t)o,          (uint8_t)(o >> 8), (uint8_t)one,
                             (uint8_t)(one >> 8), (uint8_t)two,      (uint8_t)(two >> 8)};
    char ours[64];
    assert_int_equal(msp430_disassemble(code, sizeof code, BASE, ours, sizeof ours), size);
    assert_string_equal(ours, text);
}

static void emulated_instructions(void **state)
{
    (void)state;
    expect(0x4303, 0, 0, 2, "nop");
    expect(0x4130, 0, 0, 2, "ret");
    expect(0x1300, 0, 0, 2, "reti");
    expect(0x4135, 0, 0, 2, "pop r5");
    expect(0x41b5, 4, 0, 4, "pop 4(r5)");
    expect(0x4175, 0, 0, 2, "pop.b r5");
    expect(0x4030, 0x4400, 0, 4, "br #0x4400");
    expect(0x4520, 0, 0, 2, "br @r5");
    expect(0x4530, 0, 0, 2, "br @r5+");
    expect(0xc312, 0, 0, 2, "clrc");
    expect(0xc222, 0, 0, 2, "clrn");
    expect(0xc322, 0, 0, 2, "clrz");
    expect(0xc232, 0, 0, 2, "dint");
    expect(0xd312, 0, 0, 2, "setc");
    expect(0xd222, 0, 0, 2, "setn");
    expect(0xd322, 0, 0, 2, "setz");
    expect(0xd232, 0, 0, 2, "eint");
    expect(0x4305, 0, 0, 2, "clr r5");
    expect(0x43c2, 0x21, 0, 4, "clr.b &0x0021");
    expect(0x5315, 0, 0, 2, "inc r5");
    expect(0x5325, 0, 0, 2, "incd r5");
    expect(0x8315, 0, 0, 2, "dec r5");
    expect(0x8325, 0, 0, 2, "decd r5");
    expect(0x9305, 0, 0, 2, "tst r5");
    expect(0x6305, 0, 0, 2, "adc r5");
    expect(0x7305, 0, 0, 2, "sbc r5");
    expect(0xa305, 0, 0, 2, "dadc r5");
    expect(0xe335, 0, 0, 2, "inv r5");
    expect(0x5505, 0, 0, 2, "rla r5");
    expect(0x6545, 0, 0, 2, "rlc.b r5");
    expect(0x5595, 6, 6, 6, "rla 6(r5)");
    expect(0x5595, 6, 8, 6, "add 6(r5), 8(r5)");
    expect(0x5292, 0x200, 0x200, 6, "rla &0x0200");
    expect(0x5090, 0x10, 0x0e, 6, "rla 0x4012"); /* symbolic: counted from different words, the same place */
    expect(0x5090, 0x10, 0x10, 6, "add 0x4012, 0x4014");
    expect(0x55b5, 0xfffe, 0, 4, "add @r5+, -2(r5)");
}

static void what_llvm_cannot_assemble(void **state)
{
    (void)state;
    expect(0x4db0, 0x10, 0, 4, "mov @r13+, 0x4012");
    expect(0x4dbc, 0, 0, 4, "mov @r13+, 0(r12)");
    expect(0x4df2, 0x77, 0, 4, "mov.b @r13+, &0x0077");
    expect(0x1221, 0, 0, 2, "push @sp");
    expect(0x1235, 0, 0, 2, "push @r5+");
    expect(0x1215, 0xfffc, 0, 4, "push -4(r5)");
    expect(0x1212, 0x200, 0, 4, "push &0x0200");
    expect(0x1210, 0x10, 0, 4, "push 0x4012");
    expect(0x1233, 0, 0, 2, "push #-1");
    expect(0x1270, 0x41, 0, 4, "push.b #0x41");
    expect(0x1252, 0x200, 0, 4, "push.b &0x0200");
    expect(0x1283, 0, 0, 2, "call #0");
    expect(0x3fff, 0, 0, 2, "jmp $+0");
    expect(0x3c00, 0, 0, 2, "jmp $+2");
    expect(0x2200, 0, 0, 2, "jne $-1022");
    expect(0x25ff, 0, 0, 2, "jeq $+1024");
    expect(0x2801, 0, 0, 2, "jnc $+4");
    expect(0x2ffe, 0, 0, 2, "jc $-2");
    expect(0x3001, 0, 0, 2, "jn $+4");
    expect(0x3401, 0, 0, 2, "jge $+4");
    expect(0x3801, 0, 0, 2, "jl $+4");
}

static void what_is_no_instruction(void **state)
{
    (void)state;
    const uint8_t cut[4] = {0x92, 0x42, 0x00, 0x02};
    char text[64];
    expect(0x0000, 0, 0, 2, ".word 0x0000");
    expect(0x10c5, 0, 0, 2, ".word 0x10c5"); /* swpb.b */
    expect(0x1380, 0, 0, 2, ".word 0x1380");
    assert_int_equal(msp430_disassemble(cut, 4, 0, text, sizeof text), 2);
    assert_string_equal(text, ".word 0x4292");
    assert_int_equal(msp430_disassemble(cut, 1, 0, text, sizeof text), 0);
}

/* ---- through LLVM's assembler and back ---- */

static bool llvm_assembles(uint16_t o)
{
    unsigned as = o >> 4 & 3, what = o >> 7 & 7;
    if (o < 0x2000) {
        unsigned reg = o & 15;
        bool constant = reg == 3 || (reg == 2 && as >= 2), immediate = reg == 0 && as == 3;
        if (o < 0x1000 || o > 0x1300 || (o < 0x1300 && (o & 0x40) && what % 2))
            return false;
        if (o == 0x1300)
            return true;
        if (what < 4)
            return !constant && !immediate;
        return (what == 5 && !constant) || (as == 0 && reg != 3) || (immediate && !(o & 0x40));
    }
    if (o < 0x4000)
        return false; /* it takes the number for one of words, from the next instruction on */
    unsigned reg = o >> 8 & 15;
    bool constant = reg == 3 || (reg == 2 && as >= 2), increments = as == 3 && reg != 0 && !constant;
    if (o >> 12 != 4 || o == 0x4130)
        return true;
    if ((o & 0xcf) == 0) /* br */
        return !constant && !increments && as != 2;
    return !(increments && (o & 0x80)) && !(increments && reg == 1 && (o & 0x40));
}

/* LLVM takes the number of a symbolic operand for the extension word itself, where the address is meant. */
static void expect_addresses(uint16_t o, uint8_t *code, uint16_t at)
{
    bool two = o >= 0x4000;
    unsigned reg = two ? o >> 8 & 15 : o & 15, as = o >> 4 & 3, next = 2;
    bool source_extends = reg != 3 && (as == 1 || (reg == 0 && as == 3));
    for (unsigned i = 0; i < 2; i++) {
        bool symbolic = i == 0 ? reg == 0 && as == 1 : two && (o & 0x8f) == 0x80;
        uint16_t word = (uint16_t)((code[next] | code[next + 1] << 8) + at + next);
        if (symbolic) {
            code[next] = (uint8_t)word;
            code[next + 1] = (uint8_t)(word >> 8);
        }
        if (i == 0 && source_extends)
            next += 2;
    }
}

static void assemble(const char *source, const char *object, const char *binary)
{
    char command[1024];
    snprintf(command, sizeof command,
             "%s --target=msp430 -c -o %s %s && %s -Ttext=%d -e %d --oformat=binary -o %s %s 2>&1", MSP430_CLANG,
             object, source, MSP430_LINKER, BASE, BASE, binary, object);
    assert_int_equal(system(command), 0);
}

static void round_trip_piece(const char *folder, uint32_t first, const uint16_t extension[2])
{
    char source[64], object[64], binary[64];
    snprintf(source, sizeof source, "%s/code.s", folder);
    snprintf(object, sizeof object, "%s/code.o", folder);
    snprintf(binary, sizeof binary, "%s/code.bin", folder);
    FILE *f = fopen(source, "w");
    assert_non_null(f);
    static uint8_t code[PIECE * SLOT], back[PIECE * SLOT];
    memset(code, 0, sizeof code);
    memset(back, 0, sizeof back);
    for (uint32_t i = 0; i < PIECE; i++) {
        uint16_t words[3] = {(uint16_t)(first + i), extension[0], extension[1]};
        uint8_t *slot = code + SLOT * i, all[6];
        char text[64];
        if (!llvm_assembles(words[0]))
            continue;
        for (unsigned j = 0; j < 6; j++)
            all[j] = (uint8_t)(words[j / 2] >> 8 * (j % 2));
        unsigned size = msp430_disassemble(all, sizeof all, BASE + SLOT * i, text, sizeof text);
        memcpy(slot, all, size);
        expect_addresses(words[0], slot, (uint16_t)(BASE + SLOT * i));
        fprintf(f, ".org %u\n%s\n", SLOT * i, text);
    }
    fclose(f);
    assemble(source, object, binary);
    f = fopen(binary, "rb");
    assert_non_null(f);
    (void)!fread(back, 1, sizeof back, f);
    fclose(f);
    unlink(source);
    unlink(object);
    unlink(binary);
    for (uint32_t i = 0; i < PIECE; i++)
        if (memcmp(code + SLOT * i, back + SLOT * i, SLOT) != 0) {
            char text[64];
            msp430_disassemble(code + SLOT * i, SLOT, BASE + SLOT * i, text, sizeof text);
            fail_msg("%04x: `%s` is assembled to %02x%02x %02x%02x %02x%02x", first + i, text, back[SLOT * i + 1],
                     back[SLOT * i], back[SLOT * i + 3], back[SLOT * i + 2], back[SLOT * i + 5], back[SLOT * i + 4]);
        }
}

static void round_trip(void **state)
{
    (void)state;
    if (!*MSP430_CLANG)
        skip();
    static const uint16_t extensions[][2] = {{0x1234, 0x5678}, {0xfff6, 0x0210}};
    char folder[] = "/tmp/motet-disassemble-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (unsigned e = 0; e < 2; e++)
        for (uint32_t first = 0x1000; first < 0x10000; first += PIECE)
            if (first != 0x2000 && first != 0x3000)
                round_trip_piece(folder, first, extensions[e]);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(emulated_instructions),
        cmocka_unit_test(what_llvm_cannot_assemble),
        cmocka_unit_test(what_is_no_instruction),
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
