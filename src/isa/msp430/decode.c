#include <stdbool.h>

#include "chip/chip.h"
#include "isa/msp430/code.h"
#include "isa/msp430/msp430.h"
#include "node/machine.h"

/* Formats and addressing modes: SLAU049, chapter 3 (RISC 16-Bit CPU). */

static enum msp430_source msp430_decode_source_mode(unsigned reg, unsigned as)
{
    if (reg == MSP430_CG || (reg == MSP430_SR && as >= 2))
        return MSP430_SOURCE_C;
    switch (as) {
    case 0: return MSP430_SOURCE_R;
    case 1: return reg == MSP430_PC || reg == MSP430_SR ? MSP430_SOURCE_A : MSP430_SOURCE_X;
    case 2: return MSP430_SOURCE_D;
    default: return reg == MSP430_PC ? MSP430_SOURCE_N : MSP430_SOURCE_P;
    }
}

static bool source_extends(enum msp430_source mode)
{
    return mode == MSP430_SOURCE_N || mode == MSP430_SOURCE_X || mode == MSP430_SOURCE_A;
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
    enum msp430_source mode = msp430_decode_source_mode(reg, as);
    bool byte = o & 0x40, plain = mode == MSP430_SOURCE_R && reg > MSP430_SR;
    struct msp430_insn i = {.s = (uint8_t)reg, .d = (uint8_t)reg, .dx = o};
    i.sx = mode == MSP430_SOURCE_C ? msp430_decode_constant(reg, as) : msp430_decode_word_at(code, at + 2);
    switch ((o >> 7) & 7) {
    case 0: i.op = plain ? (byte ? MSP430_RRC_B : MSP430_RRC_W) : MSP430_GENERIC; break;
    case 1: i.op = plain && !byte ? MSP430_SWPB : MSP430_GENERIC; break;
    case 2: i.op = plain ? (byte ? MSP430_RRA_B : MSP430_RRA_W) : MSP430_GENERIC; break;
    case 3: i.op = plain && !byte ? MSP430_SXT : MSP430_GENERIC; break;
    case 4:
        i.op = byte ? MSP430_GENERIC : plain ? MSP430_PUSH_R : mode == MSP430_SOURCE_N ? MSP430_PUSH_N : MSP430_GENERIC;
        break;
    case 5: i.op = mode == MSP430_SOURCE_N && !byte && !(i.sx & 1) ? MSP430_CALL_N : MSP430_GENERIC; break;
    default: i.op = MSP430_GENERIC; break;
    }
    return i.op == MSP430_GENERIC ? generic(o) : i;
}

/* Whether writing the result to SP keeps it even for any values of registers: then the fast form is enough. */
static bool keeps_stack_even(uint16_t o, enum msp430_source mode, uint16_t source)
{
    bool adds = (o >> 12) == 5 || (o >> 12) == 8;
    return adds && !(o & 0x40) && (mode == MSP430_SOURCE_C || mode == MSP430_SOURCE_N) && !(source & 1);
}

static bool msp430_decode_only_compares(uint16_t o)
{
    return (o >> 12) == 9 || (o >> 12) == 11;
}

/* Emulated instructions with a form of their own. */
enum { OPCODE_RET = 0x4130, OPCODE_BR = 0x4030, OPCODE_NOP = 0x4303, OPCODE_CLRC = 0xc312, OPCODE_SETC = 0xd312 };
enum { OPCODE_MOV_SR = 0x4200, OPCODE_BIC_SR = 0xc200 }; /* to a register */

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
    if ((o & 15) <= MSP430_CG)
        return generic(o);
    switch (o & 0xfff0) {
    case OPCODE_MOV_SR: return (struct msp430_insn){.op = MSP430_STATUS, .d = o & 15};
    case OPCODE_BIC_SR: return (struct msp430_insn){.op = MSP430_STATUS_CLEARS, .d = o & 15};
    default: return generic(o);
    }
}

/* The operation for these modes, in the order of MSP430_DOUBLES. */
static uint16_t fast_form(unsigned opcode, bool byte, enum msp430_source from, enum msp430_destination to)
{
    if (opcode == 4)
        return (uint16_t)((byte ? MSP430_ALL_FORMS : 0) + 3 * (unsigned)from + (unsigned)to);
    unsigned nth = opcode - (opcode > 10 ? 6 : 5), first = 2 * MSP430_ALL_FORMS + 2 * nth * MSP430_SOME_FORMS_EACH;
    if (byte)
        first += MSP430_SOME_FORMS_EACH;
    if (from <= MSP430_SOURCE_N)
        return (uint16_t)(first + 3 * (unsigned)from + (unsigned)to);
    if (to != MSP430_TO_R)
        return MSP430_GENERIC;
    return (uint16_t)(first + MSP430_CPU_FORMS + (unsigned)from - MSP430_SOURCE_X);
}

static void msp430_decode_source(const struct msp430_code *code, uint32_t at, unsigned reg, unsigned as,
                                 struct msp430_parts *p)
{
    p->from = msp430_decode_source_mode(reg, as);
    p->s = (uint8_t)reg;
    p->sx = p->from == MSP430_SOURCE_C ? msp430_decode_constant(reg, as) : 0;
    if (!source_extends(p->from))
        return;
    p->sx = msp430_decode_word_at(code, at + p->length);
    if (p->from == MSP430_SOURCE_A)
        p->sx = msp430_decode_fixed_address(reg, p->sx, at + p->length);
    p->length += 2;
}

struct msp430_parts msp430_take_apart(const struct msp430_code *code, uint32_t at)
{
    uint16_t o = msp430_decode_word_at(code, at);
    struct msp430_parts p = {.opcode = o, .byte = o & 0x40, .length = 2};
    if (o < 0x4000) {
        if (o >= 0x1000 && o < 0x1300)
            msp430_decode_source(code, at, o & 15, o >> 4 & 3, &p);
        return p;
    }
    msp430_decode_source(code, at, o >> 8 & 15, o >> 4 & 3, &p);
    p.d = o & 15;
    if (o & 0x80) {
        uint16_t extension = msp430_decode_word_at(code, at + p.length);
        bool fixed = p.d == MSP430_PC || p.d == MSP430_SR;
        p.to = fixed ? MSP430_TO_A : MSP430_TO_X;
        p.dx = fixed ? msp430_decode_fixed_address(p.d, extension, at + p.length) : extension;
        p.length += 2;
    }
    return p;
}

static struct msp430_insn decode_two_operands(const struct msp430_code *code, uint32_t at, uint16_t o)
{
    struct msp430_parts p = msp430_take_apart(code, at);
    struct msp430_insn i = {.s = p.s, .d = p.d, .sx = p.sx, .dx = p.dx};
    unsigned s = p.s, d = p.d, opcode = o >> 12;
    enum msp430_source mode = p.from;
    enum msp430_destination to = p.to;
    bool source_is_cpu = s <= MSP430_SR &&
                         (mode == MSP430_SOURCE_R || mode == MSP430_SOURCE_D || mode == MSP430_SOURCE_P) &&
                         s != MSP430_SP;
    bool destination_is_cpu = to == MSP430_TO_R && d <= MSP430_CG &&
                              !(d == MSP430_SP && (msp430_decode_only_compares(o) || keeps_stack_even(o, mode, i.sx)));
    bool indexes_pc = (mode == MSP430_SOURCE_X && s == MSP430_PC) || (to == MSP430_TO_X && d == MSP430_CG);
    bool byte_steps_sp = mode == MSP430_SOURCE_P && s == MSP430_SP && (o & 0x40);
    if (opcode == 10 || source_is_cpu || destination_is_cpu || indexes_pc || byte_steps_sp)
        return generic(o);
    i.op = fast_form(opcode, o & 0x40, mode, to);
    if (opcode == 8 && to == MSP430_TO_R && d == MSP430_SP)
        i.op = mode == MSP430_SOURCE_C ? MSP430_FRAME_C : MSP430_FRAME_N;
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
