#include "isa/msp430/disassemble.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"

/* Instructions, addressing modes and emulated instructions: SLAU049, chapter 3 and appendix B. */

struct reader {
    const uint8_t *code;
    uint32_t at;   /* address of the instruction */
    unsigned next; /* offset of the extension word to be read */
};

struct operand {
    char text[16];
    bool constant; /* from the constant generator: the emulated instructions are made of these */
    uint16_t value;
    int fixed; /* address known without the registers, or -1 */
};

static uint16_t msp430_disassemble_word_at(const uint8_t *code)
{
    return (uint16_t)(code[0] | code[1] << 8);
}

static const char *msp430_disassemble_register_name(unsigned reg)
{
    static const char *const names[16] = {"pc", "sp", "sr",  "r3",  "r4",  "r5",  "r6",  "r7",
                                          "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
    return names[reg];
}

static struct operand msp430_disassemble_number(bool constant, uint16_t value, bool byte)
{
    struct operand o = {.constant = constant, .value = value, .fixed = -1};
    if (constant)
        snprintf(o.text, sizeof o.text, "#%d", (int16_t)value);
    else
        snprintf(o.text, sizeof o.text, byte && value < 0x100 ? "#0x%02x" : "#0x%04x", value);
    return o;
}

static struct operand msp430_disassemble_indexed(struct reader *r, unsigned reg)
{
    struct operand o = {.fixed = -1};
    uint16_t extension = msp430_disassemble_word_at(r->code + r->next);
    if (reg == MSP430_PC) { /* symbolic: counted from the extension word itself */
        o.fixed = (uint16_t)(r->at + r->next + extension);
        snprintf(o.text, sizeof o.text, "0x%04x", (unsigned)o.fixed);
    } else if (reg == MSP430_SR) {
        o.fixed = extension;
        snprintf(o.text, sizeof o.text, "&0x%04x", extension);
    } else {
        snprintf(o.text, sizeof o.text, "%d(%s)", (int16_t)extension, msp430_disassemble_register_name(reg));
    }
    r->next += 2;
    return o;
}

static struct operand msp430_disassemble_source(struct reader *r, unsigned reg, unsigned as, bool byte)
{
    static const uint16_t of_sr[4] = {0, 0, 4, 8}, of_cg[4] = {0, 1, 2, 0xffff};
    struct operand o = {.fixed = -1};
    if (reg == MSP430_CG || (reg == MSP430_SR && as >= 2))
        return msp430_disassemble_number(true, reg == MSP430_CG ? of_cg[as] : of_sr[as], byte);
    if (as == 1)
        return msp430_disassemble_indexed(r, reg);
    if (as == 3 && reg == MSP430_PC) {
        r->next += 2;
        return msp430_disassemble_number(false, msp430_disassemble_word_at(r->code + r->next - 2), byte);
    }
    static const char *const shapes[4] = {"%s", "", "@%s", "@%s+"};
    snprintf(o.text, sizeof o.text, shapes[as], msp430_disassemble_register_name(reg));
    return o;
}

static struct operand destination(struct reader *r, uint16_t opcode)
{
    struct operand o = {.fixed = -1};
    if (opcode & 0x80)
        return msp430_disassemble_indexed(r, opcode & 15);
    snprintf(o.text, sizeof o.text, "%s", msp430_disassemble_register_name(opcode & 15));
    return o;
}

/* ---- emulated instructions ---- */

/* Those on the status register: no operands. */
static const char *on_status(unsigned opcode, uint16_t value)
{
    static const struct {
        uint8_t opcode, value;
        const char *name;
    } known[] = {{12, 1, "clrc"}, {12, 2, "clrz"}, {12, 4, "clrn"}, {12, 8, "dint"},
                 {13, 1, "setc"}, {13, 2, "setz"}, {13, 4, "setn"}, {13, 8, "eint"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].opcode == opcode && known[i].value == value)
            return known[i].name;
    return NULL;
}

/* Those with a constant for a source: the destination is their operand. */
static const char *with_constant(unsigned opcode, uint16_t value)
{
    static const struct {
        uint8_t opcode;
        uint16_t value;
        const char *name;
    } known[] = {{4, 0, "clr"}, {5, 1, "inc"},  {5, 2, "incd"}, {6, 0, "adc"},   {7, 0, "sbc"},
                 {8, 1, "dec"}, {8, 2, "decd"}, {9, 0, "tst"},  {10, 0, "dadc"}, {14, 0xffff, "inv"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].opcode == opcode && known[i].value == value)
            return known[i].name;
    return NULL;
}

static bool same_place(uint16_t opcode, const struct operand *s, const struct operand *d)
{
    bool both_in_registers = !(opcode & 0xb0), both_indexed = (opcode & 0xb0) == 0x90;
    bool same_register = (opcode >> 8 & 15) == (opcode & 15);
    if (s->constant || !same_register)
        return false;
    if (s->fixed >= 0)
        return both_indexed && s->fixed == d->fixed;
    return (both_in_registers || both_indexed) && strcmp(s->text, d->text) == 0;
}

static void msp430_disassemble_two_operands(struct reader *r, uint16_t opcode, char *text, size_t size)
{
    static const char *const names[16] = {[4] = "mov", "add", "addc", "subc", "sub", "cmp",
                                          "dadd",      "bit", "bic",  "bis",  "xor", "and"};
    bool byte = opcode & 0x40, to_register = !(opcode & 0x80);
    unsigned what = opcode >> 12, to = opcode & 15;
    struct operand s = msp430_disassemble_source(r, opcode >> 8 & 15, opcode >> 4 & 3, byte),
                   d = destination(r, opcode);
    const char *suffix = byte ? ".b" : "", *emulated = s.constant ? with_constant(what, s.value) : NULL;
    bool pops = what == 4 && (opcode >> 8 & 15) == MSP430_SP && (opcode >> 4 & 3) == 3;
    if (opcode == 0x4303)
        snprintf(text, size, "nop");
    else if (opcode == 0x4130)
        snprintf(text, size, "ret");
    else if (what == 4 && to_register && to == MSP430_PC && !byte && !pops)
        snprintf(text, size, "br %s", s.text);
    else if (pops)
        snprintf(text, size, "pop%s %s", suffix, d.text);
    else if (s.constant && to_register && to == MSP430_SR && !byte && on_status(what, s.value))
        snprintf(text, size, "%s", on_status(what, s.value));
    else if (emulated)
        snprintf(text, size, "%s%s %s", emulated, suffix, d.text);
    else if ((what == 5 || what == 6) && same_place(opcode, &s, &d))
        snprintf(text, size, "%s%s %s", what == 5 ? "rla" : "rlc", suffix, d.text);
    else
        snprintf(text, size, "%s%s %s, %s", names[what], suffix, s.text, d.text);
}

static void msp430_disassemble_one_operand(struct reader *r, uint16_t opcode, char *text, size_t size)
{
    static const char *const names[6] = {"rrc", "swpb", "rra", "sxt", "push", "call"};
    bool byte = opcode & 0x40;
    struct operand o = msp430_disassemble_source(r, opcode & 15, opcode >> 4 & 3, byte);
    snprintf(text, size, "%s%s %s", names[opcode >> 7 & 7], byte ? ".b" : "", o.text);
}

static void msp430_disassemble_jump(uint16_t opcode, char *text, size_t size)
{
    static const char *const names[8] = {"jne", "jeq", "jnc", "jc", "jn", "jge", "jl", "jmp"};
    snprintf(text, size, "%s $%+d", names[opcode >> 10 & 7], 2 + 2 * ((opcode & 0x1ff) - (opcode & 0x200)));
}

static bool legal(uint16_t opcode)
{
    unsigned what = opcode >> 7 & 7;
    if (opcode < 0x1000 || (opcode > 0x1300 && opcode < 0x2000))
        return false;
    return opcode >= 0x1300 || !(opcode & 0x40) || what == 0 || what == 2 || what == 4;
}

unsigned msp430_disassemble(const uint8_t *code, size_t size, uint32_t at, char *text, size_t text_size)
{
    if (size < 2)
        return 0;
    uint16_t opcode = msp430_disassemble_word_at(code);
    unsigned length = msp430_length(opcode);
    struct reader r = {code, at, 2};
    if (!legal(opcode) || length > size) {
        snprintf(text, text_size, ".word 0x%04x", opcode);
        return 2;
    }
    if (opcode >= 0x4000)
        msp430_disassemble_two_operands(&r, opcode, text, text_size);
    else if (opcode >= 0x2000)
        msp430_disassemble_jump(opcode, text, text_size);
    else if (opcode == 0x1300)
        snprintf(text, text_size, "reti");
    else
        msp430_disassemble_one_operand(&r, opcode, text, text_size);
    return length;
}
