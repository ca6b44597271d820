/* The MSP430 instruction set as the User's Guide (SLAU049, chapter 3) describes it, as plainly as it can be said: the
 * reference for the tests of the core.
 *
 * Invariant: shares nothing with src/isa; written from the guide's tables and the descriptions of the instructions.
 */
#ifndef TESTS_MSP430_MANUAL_H
#define TESTS_MSP430_MANUAL_H

#include <stdbool.h>
#include <stdint.h>

enum { PC, SP, SR, CG };
enum { FLAG_C = 1, FLAG_Z = 2, FLAG_N = 4, FLAG_V = 0x100 };

struct manual {
    uint16_t r[16];
    uint8_t *memory; /* 64 KB */
    unsigned cycles;
};

/* Addressing modes as the tables name them. */
enum manual_mode { MODE_RN, MODE_AT_RN, MODE_AT_RN_PLUS, MODE_N, MODE_X_RN, MODE_EDE, MODE_ABSOLUTE, MODE_CONSTANT };

static inline enum manual_mode manual_source_mode(unsigned reg, unsigned as)
{
    if (reg == CG || (reg == SR && as >= 2))
        return MODE_CONSTANT;
    switch (as) {
    case 0: return MODE_RN;
    case 1: return reg == PC ? MODE_EDE : reg == SR ? MODE_ABSOLUTE : MODE_X_RN;
    case 2: return MODE_AT_RN;
    default: return reg == PC ? MODE_N : MODE_AT_RN_PLUS;
    }
}

static inline bool manual_extends(enum manual_mode mode)
{
    return mode == MODE_N || mode == MODE_X_RN || mode == MODE_EDE || mode == MODE_ABSOLUTE;
}

/* Table 3-16: columns Rm, PC, and x(Rm), EDE, &EDE. A constant costs what a register costs. */
static const uint8_t manual_format_1[8][3] = {
    [MODE_RN] = {1, 2, 4},   [MODE_AT_RN] = {2, 2, 5}, [MODE_AT_RN_PLUS] = {2, 3, 5}, [MODE_N] = {2, 3, 5},
    [MODE_X_RN] = {3, 3, 6}, [MODE_EDE] = {3, 3, 6},   [MODE_ABSOLUTE] = {3, 3, 6},   [MODE_CONSTANT] = {1, 2, 4},
};

/* Table 3-15: columns RRA RRC SWPB SXT, PUSH, CALL. */
static const uint8_t manual_format_2[8][3] = {
    [MODE_RN] = {1, 3, 4},   [MODE_AT_RN] = {3, 4, 4}, [MODE_AT_RN_PLUS] = {3, 5, 5}, [MODE_N] = {0, 4, 5},
    [MODE_X_RN] = {4, 5, 5}, [MODE_EDE] = {4, 5, 5},   [MODE_ABSOLUTE] = {4, 5, 5},   [MODE_CONSTANT] = {0, 3, 4},
};

static inline uint16_t manual_get(const struct manual *m, uint16_t address, bool byte)
{
    if (byte)
        return m->memory[address];
    address &= 0xfffe;
    return (uint16_t)(m->memory[address] | m->memory[address + 1] << 8);
}

static inline void manual_put(struct manual *m, uint16_t address, uint16_t value, bool byte)
{
    if (!byte)
        address &= 0xfffe;
    m->memory[address] = (uint8_t)value;
    if (!byte)
        m->memory[address + 1] = (uint8_t)(value >> 8);
}

static inline uint16_t manual_fetch(struct manual *m)
{
    uint16_t word = manual_get(m, m->r[PC], false);
    m->r[PC] = (uint16_t)(m->r[PC] + 2);
    return word;
}

struct manual_place {
    bool in_memory;
    uint16_t address; /* or register number */
};

/* Finds the operand and its value; post-increment happens here. */
static inline uint16_t manual_operand(struct manual *m, enum manual_mode mode, unsigned reg, unsigned as, bool byte,
                                      struct manual_place *place)
{
    static const uint16_t constants[2][4] = {{0, 0, 4, 8}, {0, 1, 2, 0xffff}};
    *place = (struct manual_place){.in_memory = true};
    uint16_t at = m->r[PC];
    switch (mode) {
    case MODE_CONSTANT: place->in_memory = false; return constants[reg == CG][as] & (byte ? 0xff : 0xffff);
    case MODE_RN: *place = (struct manual_place){false, (uint16_t)reg}; return m->r[reg] & (byte ? 0xff : 0xffff);
    case MODE_N: return manual_fetch(m) & (byte ? 0xff : 0xffff);
    case MODE_X_RN: place->address = (uint16_t)(manual_fetch(m) + m->r[reg]); break;
    case MODE_EDE: place->address = (uint16_t)(manual_fetch(m) + at); break;
    case MODE_ABSOLUTE: place->address = manual_fetch(m); break;
    default: place->address = m->r[reg]; break;
    }
    uint16_t value = manual_get(m, place->address, byte);
    if (mode == MODE_AT_RN_PLUS)
        m->r[reg] = (uint16_t)(m->r[reg] + (byte && reg != SP ? 1 : 2));
    return value;
}

static inline void manual_write(struct manual *m, struct manual_place to, uint16_t value, bool byte)
{
    value = byte ? value & 0xff : value;
    if (to.in_memory)
        manual_put(m, to.address, value, byte);
    else if (to.address != CG)
        m->r[to.address] = to.address == SR ? value & 0x1ff : to.address <= SP ? value & 0xfffe : value;
}

static inline void manual_flags(struct manual *m, uint32_t result, bool carry, bool overflow, bool byte)
{
    uint32_t mask = byte ? 0xff : 0xffff, sign = byte ? 0x80 : 0x8000;
    m->r[SR] = (uint16_t)((m->r[SR] & ~(FLAG_C | FLAG_Z | FLAG_N | FLAG_V)) | (carry ? FLAG_C : 0) |
                          (result & mask ? 0 : FLAG_Z) | (result & sign ? FLAG_N : 0) | (overflow ? FLAG_V : 0));
}

static inline uint16_t manual_add(struct manual *m, uint16_t a, uint16_t b, unsigned carry, bool byte)
{
    int32_t sign_a = byte ? (int8_t)a : (int16_t)a, sign_b = byte ? (int8_t)b : (int16_t)b;
    int32_t exact = sign_a + sign_b + (int32_t)carry, limit = byte ? 0x80 : 0x8000;
    uint32_t mask = byte ? 0xff : 0xffff, sum = (a & mask) + (b & mask) + carry;
    manual_flags(m, sum, sum > mask, exact >= limit || exact < -limit, byte);
    return (uint16_t)(sum & mask);
}

static inline uint16_t manual_decimal(struct manual *m, uint16_t a, uint16_t b, bool byte)
{
    unsigned number = m->r[SR] & FLAG_C, unit = 1, digits = byte ? 2 : 4, result = 0;
    for (unsigned i = 0; i < digits; i++, unit *= 10)
        number += ((a >> 4 * i & 15) + (b >> 4 * i & 15)) * unit;
    for (unsigned i = 0, rest = number; i < digits; i++, rest /= 10)
        result |= rest % 10 << 4 * i;
    manual_flags(m, result, number >= unit, false, byte);
    return (uint16_t)result;
}

static inline void manual_two_operands(struct manual *m, uint16_t o)
{
    bool byte = o & 0x40;
    unsigned s_reg = o >> 8 & 15, d_reg = o & 15, carry = m->r[SR] & FLAG_C, sign = byte ? 0x80 : 0x8000;
    enum manual_mode mode = manual_source_mode(s_reg, o >> 4 & 3);
    struct manual_place from, to = {false, (uint16_t)d_reg};
    uint16_t s = manual_operand(m, mode, s_reg, o >> 4 & 3, byte, &from), not_s = (uint16_t)~s, d, result = 0;
    if (o & 0x80) {
        enum manual_mode target = d_reg == PC ? MODE_EDE : d_reg == SR || d_reg == CG ? MODE_ABSOLUTE : MODE_X_RN;
        d = manual_operand(m, target, d_reg, 1, byte, &to);
    } else {
        d = d_reg == CG ? 0 : m->r[d_reg] & (byte ? 0xff : 0xffff);
    }
    m->cycles += manual_format_1[mode][o & 0x80 ? 2 : d_reg == PC ? 1 : 0];
    switch (o >> 12) {
    case 4: result = s; break;
    case 5: result = manual_add(m, s, d, 0, byte); break;
    case 6: result = manual_add(m, s, d, carry, byte); break;
    case 7: result = manual_add(m, not_s, d, carry, byte); break;
    case 8: result = manual_add(m, not_s, d, 1, byte); break;
    case 9: manual_add(m, not_s, d, 1, byte); return;
    case 10: result = manual_decimal(m, s, d, byte); break;
    case 11: manual_flags(m, s & d, s & d, false, byte); return;
    case 12: result = d & not_s; break;
    case 13: result = d | s; break;
    case 14: result = d ^ s, manual_flags(m, result, result, s & d & sign, byte); break;
    default: result = d & s, manual_flags(m, result, result, false, byte); break;
    }
    manual_write(m, to, result, byte);
}

static inline void manual_one_operand(struct manual *m, uint16_t o)
{
    bool byte = o & 0x40;
    unsigned reg = o & 15, carry = m->r[SR] & FLAG_C, sign = byte ? 0x80 : 0x8000, what = o >> 7 & 7;
    enum manual_mode mode = manual_source_mode(reg, o >> 4 & 3);
    struct manual_place it;
    if (what >= 4) /* PUSH and CALL: SP moves before the operand is looked at */
        m->r[SP] = (uint16_t)(m->r[SP] - 2);
    uint16_t top = m->r[SP], v = manual_operand(m, mode, reg, o >> 4 & 3, byte, &it), result;
    m->cycles += manual_format_2[mode][what < 4 ? 0 : what - 3];
    switch (what) {
    case 0: /* RRC */
        result = (uint16_t)(v >> 1 | (carry ? sign : 0));
        manual_flags(m, result, v & 1, carry && !(v & sign), byte);
        break;
    case 1: result = (uint16_t)(v << 8 | v >> 8); break; /* SWPB */
    case 2:                                              /* RRA */
        result = (uint16_t)(v >> 1 | (v & sign));
        manual_flags(m, result, v & 1, false, byte);
        break;
    case 3: /* SXT */
        result = (uint16_t)((v & 0x7f) - (v & 0x80));
        manual_flags(m, result, result, false, false);
        break;
    case 4: /* PUSH */ manual_put(m, top, v, false); return;
    default: /* CALL */
        manual_put(m, top, m->r[PC], false);
        m->r[PC] = v & 0xfffe;
        return;
    }
    manual_write(m, it, result, byte);
}

static inline void manual_jump(struct manual *m, uint16_t o)
{
    bool c = m->r[SR] & FLAG_C, z = m->r[SR] & FLAG_Z, n = m->r[SR] & FLAG_N, v = m->r[SR] & FLAG_V;
    const bool taken[8] = {!z, z, !c, c, n, !(n ^ v), n ^ v, true};
    int offset = o & 0x3ff;
    m->cycles += 2;
    if (taken[o >> 10 & 7])
        m->r[PC] = (uint16_t)(m->r[PC] + 2 * (offset >= 0x200 ? offset - 0x400 : offset));
}

/* Whether the word is an instruction at all. */
static inline bool manual_legal(uint16_t o)
{
    unsigned what = o >> 7 & 7;
    if (o < 0x1000 || (o > 0x1300 && o < 0x2000))
        return false;
    return o >= 0x1300 || !(o & 0x40) || what == 0 || what == 2 || what == 4;
}

static inline void manual_step(struct manual *m)
{
    uint16_t o = manual_fetch(m);
    if (o >= 0x4000) {
        manual_two_operands(m, o);
    } else if (o >= 0x2000) {
        manual_jump(m, o);
    } else if (o == 0x1300) {
        m->r[SR] = manual_get(m, m->r[SP], false) & 0x1ff;
        m->r[PC] = manual_get(m, (uint16_t)(m->r[SP] + 2), false) & 0xfffe;
        m->r[SP] = (uint16_t)(m->r[SP] + 4);
        m->cycles += 5;
    } else {
        manual_one_operand(m, o);
    }
}

#endif
