#include <stdbool.h>

#include "chip/chip.h"
#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

/* Formats and addressing modes: SLAU049, chapter 3 (RISC 16-Bit CPU). */

enum source_mode { SOURCE_R, SOURCE_C, SOURCE_N, SOURCE_X, SOURCE_A, SOURCE_D, SOURCE_P };
enum destination_mode { DESTINATION_R, DESTINATION_X, DESTINATION_A };

static enum source_mode msp430_decode_source_mode(unsigned reg, unsigned as)
{
    if (reg == MSP430_CG || (reg == MSP430_SR && as >= 2))
        return SOURCE_C;
    switch (as) {
    case 0: return SOURCE_R;
    case 1: return reg == MSP430_PC || reg == MSP430_SR ? SOURCE_A : SOURCE_X;
    case 2: return SOURCE_D;
    default: return reg == MSP430_PC ? SOURCE_N : SOURCE_P;
    }
}

static bool source_extends(enum source_mode mode)
{
    return mode == SOURCE_N || mode == SOURCE_X || mode == SOURCE_A;
}

static uint16_t msp430_decode_constant(unsigned reg, unsigned as)
{
    static const uint16_t of_sr[4] = {0, 0, 4, 8}, of_cg[4] = {0, 1, 2, 0xffff};
    return reg == MSP430_SR ? of_sr[as] : of_cg[as];
}

unsigned msp430_length(uint16_t o)
{
    unsigned as = (o >> 4) & 3;
    if ((o >> 13) == 1) /* jumps */
        return 2;
    if (o < 0x2000) /* one operand */
        return source_extends(msp430_decode_source_mode(o & 15, as)) && o < 0x1300 ? 4 : 2;
    unsigned length = source_extends(msp430_decode_source_mode((o >> 8) & 15, as)) ? 4 : 2;
    return o & 0x80 ? length + 2 : length;
}

static uint16_t msp430_decode_word_at(const struct msp430_code *code, uint32_t address)
{
    address &= 0xfffe;
    return (uint16_t)(code->memory[address] | code->memory[address + 1] << 8);
}

static struct msp430_insn generic(uint16_t o)
{
    return (struct msp430_insn){.op = MSP430_GENERIC, .dx = o};
}

/* An operand in memory at a fixed place: symbolic mode counts from the address of its own extension word. */
static uint16_t msp430_decode_fixed_address(unsigned reg, uint16_t extension, uint32_t extension_at)
{
    return (uint16_t)(reg == MSP430_PC ? extension_at + extension : extension);
}

static struct msp430_insn decode_jump(uint32_t at, uint16_t o)
{
    int offset = (o & 0x1ff) - (o & 0x200);
    uint16_t target = (uint16_t)(at + 2 + (unsigned)(2 * offset));
    unsigned op = MSP430_JNE + ((o >> 10) & 7);
    if (op == MSP430_JMP && target == at)
        op = MSP430_JMP_SELF;
    return (struct msp430_insn){.op = (uint16_t)op, .sx = target};
}

static struct msp430_insn decode_one_operand(const struct msp430_code *code, uint32_t at, uint16_t o)
{
    unsigned reg = o & 15, as = (o >> 4) & 3;
    enum source_mode mode = msp430_decode_source_mode(reg, as);
    bool byte = o & 0x40, plain = mode == SOURCE_R && reg > MSP430_SR;
    struct msp430_insn i = {.s = (uint8_t)reg, .d = (uint8_t)reg, .dx = o};
    i.sx = mode == SOURCE_C ? msp430_decode_constant(reg, as) : msp430_decode_word_at(code, at + 2);
    switch ((o >> 7) & 7) {
    case 0: i.op = plain ? (byte ? MSP430_RRC_B : MSP430_RRC_W) : MSP430_GENERIC; break;
    case 1: i.op = plain && !byte ? MSP430_SWPB : MSP430_GENERIC; break;
    case 2: i.op = plain ? (byte ? MSP430_RRA_B : MSP430_RRA_W) : MSP430_GENERIC; break;
    case 3: i.op = plain && !byte ? MSP430_SXT : MSP430_GENERIC; break;
    case 4:
        i.op = byte ? MSP430_GENERIC : plain ? MSP430_PUSH_R : mode == SOURCE_N ? MSP430_PUSH_N : MSP430_GENERIC;
        break;
    case 5: i.op = mode == SOURCE_N && !byte && !(i.sx & 1) ? MSP430_CALL_N : MSP430_GENERIC; break;
    default: i.op = MSP430_GENERIC; break;
    }
    return i.op == MSP430_GENERIC ? generic(o) : i;
}

/* Whether writing the result to SP keeps it even for any values of registers: then the fast form is enough. */
static bool keeps_stack_even(uint16_t o, enum source_mode mode, uint16_t source)
{
    bool adds = (o >> 12) == 5 || (o >> 12) == 8;
    return adds && !(o & 0x40) && (mode == SOURCE_C || mode == SOURCE_N) && !(source & 1);
}

static bool msp430_decode_only_compares(uint16_t o)
{
    return (o >> 12) == 9 || (o >> 12) == 11;
}

/* Emulated instructions with a form of their own. */
enum { OPCODE_RET = 0x4130, OPCODE_BR = 0x4030, OPCODE_NOP = 0x4303, OPCODE_CLRC = 0xc312, OPCODE_SETC = 0xd312 };

static struct msp430_insn decode_emulated(const struct msp430_code *code, uint32_t at, uint16_t o)
{
    switch (o) {
    case OPCODE_RET: return (struct msp430_insn){.op = MSP430_RETURN};
    case OPCODE_BR:
        return (struct msp430_insn){.op = MSP430_BRANCH, .sx = msp430_decode_word_at(code, at + 2) & 0xfffe};
    case OPCODE_NOP: return (struct msp430_insn){.op = MSP430_NOP};
    case OPCODE_CLRC: return (struct msp430_insn){.op = MSP430_CLRC};
    case OPCODE_SETC: return (struct msp430_insn){.op = MSP430_SETC};
    default: break;
    }
    bool status = (o & 0xfff0) == 0x4200 && (o & 15) > MSP430_CG;
    return status ? (struct msp430_insn){.op = MSP430_STATUS, .d = o & 15} : generic(o);
}

/* The operation for these modes, in the order of MSP430_DOUBLES. */
static uint16_t fast_form(unsigned opcode, bool byte, enum source_mode from, enum destination_mode to)
{
    if (opcode == 4)
        return (uint16_t)((byte ? MSP430_ALL_FORMS : 0) + 3 * (unsigned)from + (unsigned)to);
    unsigned nth = opcode - (opcode > 10 ? 6 : 5), first = 2 * MSP430_ALL_FORMS + 2 * nth * MSP430_SOME_FORMS_EACH;
    if (byte)
        first += MSP430_SOME_FORMS_EACH;
    if (from <= SOURCE_N)
        return (uint16_t)(first + 3 * (unsigned)from + (unsigned)to);
    if (to != DESTINATION_R)
        return MSP430_GENERIC;
    return (uint16_t)(first + MSP430_CPU_FORMS + (unsigned)from - SOURCE_X);
}

static struct msp430_insn decode_two_operands(const struct msp430_code *code, uint32_t at, uint16_t o)
{
    unsigned s = (o >> 8) & 15, d = o & 15, opcode = o >> 12;
    enum source_mode mode = msp430_decode_source_mode(s, (o >> 4) & 3);
    struct msp430_insn i = {.s = (uint8_t)s, .d = (uint8_t)d};
    uint32_t next = at + 2;
    i.sx = mode == SOURCE_C ? msp430_decode_constant(s, (o >> 4) & 3) : 0;
    if (source_extends(mode)) {
        i.sx = msp430_decode_word_at(code, next);
        if (mode == SOURCE_A)
            i.sx = msp430_decode_fixed_address(s, i.sx, next);
        next += 2;
    }
    enum destination_mode to = DESTINATION_R;
    if (o & 0x80) {
        to = d == MSP430_PC || d == MSP430_SR ? DESTINATION_A : DESTINATION_X;
        i.dx = to == DESTINATION_A ? msp430_decode_fixed_address(d, msp430_decode_word_at(code, next), next)
                                   : msp430_decode_word_at(code, next);
    }
    bool source_is_cpu = s <= MSP430_SR && (mode == SOURCE_R || mode == SOURCE_D || mode == SOURCE_P) && s != MSP430_SP;
    bool destination_is_cpu = to == DESTINATION_R && d <= MSP430_CG &&
                              !(d == MSP430_SP && (msp430_decode_only_compares(o) || keeps_stack_even(o, mode, i.sx)));
    bool indexes_pc = (mode == SOURCE_X && s == MSP430_PC) || (to == DESTINATION_X && d == MSP430_CG);
    bool byte_steps_sp = mode == SOURCE_P && s == MSP430_SP && (o & 0x40);
    if (opcode == 10 || source_is_cpu || destination_is_cpu || indexes_pc || byte_steps_sp)
        return generic(o);
    i.op = fast_form(opcode, o & 0x40, mode, to);
    if (opcode == 8 && to == DESTINATION_R && d == MSP430_SP)
        i.op = mode == SOURCE_C ? MSP430_FRAME_C : MSP430_FRAME_N;
    return i.op == MSP430_GENERIC ? generic(o) : i;
}

static struct msp430_insn decode_word(const struct msp430_code *code, uint32_t at)
{
    uint16_t o = msp430_decode_word_at(code, at);
    struct msp430_insn emulated = decode_emulated(code, at, o);
    if (emulated.op != MSP430_GENERIC)
        return emulated;
    if (o >= 0x4000)
        return decode_two_operands(code, at, o);
    if (o >= 0x2000)
        return decode_jump(at, o);
    return o >= 0x1000 && o < 0x1300 ? decode_one_operand(code, at, o) : generic(o);
}

void msp430_decode_range(const struct machine *m, struct msp430_code *code, const uint8_t *known, uint32_t first,
                         uint32_t last)
{
    (void)m;
    for (uint32_t at = first; at < last; at += 2) {
        struct msp430_insn i = decode_word(code, at);
        if (known[at] == FLASH_ERASED)
            i = (struct msp430_insn){.op = MSP430_ERASED, .dx = msp430_decode_word_at(code, at)};
        else if (known[at] == FLASH_DATA)
            i = (struct msp430_insn){.op = MSP430_DATA, .dx = msp430_decode_word_at(code, at)};
        code->insn[at / 2] = i;
    }
}
