#include "isa/cortex/code.h"

/* ARM DDI 0403E, A5.3: the instructions of four bytes. `w` is both halfwords, the first in the high half. */

#define FIELD(w, low, bits) ((w) >> (low) & ((1u << (bits)) - 1))

static void cortex_wide_multiple(struct cortex_insn *i, uint32_t w)
{
    unsigned how = FIELD(w, 23, 2);
    bool load = FIELD(w, 20, 1), write_back = FIELD(w, 21, 1);
    if (how != 1 && how != 2)
        return;
    i->op = load ? CORTEX_LDM : CORTEX_STM;
    i->n = FIELD(w, 16, 4);
    i->imm = w & (load ? 0xdfff : 0x5fff);
    i->x = (uint8_t)((write_back ? CORTEX_WRITE_BACK : 0) | (how == 2 ? CORTEX_INDEX : 0));
    if (load && write_back && i->imm >> i->n & 1)
        i->x &= (uint8_t)~CORTEX_WRITE_BACK;
}

/* LDREX, STREX and their like, and branches by a table. */
static void cortex_wide_exclusive(struct cortex_insn *i, uint32_t w)
{
    unsigned op = FIELD(w, 4, 4);
    bool load = FIELD(w, 20, 1);
    i->n = FIELD(w, 16, 4);
    i->m = FIELD(w, 0, 4);
    if (!FIELD(w, 23, 1)) {
        i->op = load ? CORTEX_LDREX : CORTEX_STREX;
        i->m = FIELD(w, 12, 4);
        i->d = FIELD(w, 8, 4);
        i->x = 4;
        i->imm = (w & 0xff) * 4;
    } else if (load && op <= 1) {
        i->op = op ? CORTEX_TBH : CORTEX_TBB;
    } else if (op == 4 || op == 5) {
        i->op = load ? CORTEX_LDREX : CORTEX_STREX;
        i->d = FIELD(w, 0, 4);
        i->m = FIELD(w, 12, 4);
        i->x = (uint8_t)(op - 3);
    }
}

static void cortex_wide_dual(struct cortex_insn *i, uint32_t at, uint32_t w)
{
    bool before = FIELD(w, 24, 1), up = FIELD(w, 23, 1), write_back = FIELD(w, 21, 1);
    if (!before && !write_back) {
        cortex_wide_exclusive(i, w);
        return;
    }
    i->op = FIELD(w, 20, 1) ? CORTEX_LDRD : CORTEX_STRD;
    i->n = FIELD(w, 16, 4);
    i->d = FIELD(w, 12, 4);
    i->m = FIELD(w, 8, 4);
    i->imm = up ? (w & 0xff) * 4 : 0u - (w & 0xff) * 4;
    i->x = (uint8_t)((before ? CORTEX_INDEX : 0) | (write_back ? CORTEX_WRITE_BACK : 0));
    if (i->n == 15) {
        i->imm += (at + 4) & ~3u;
        i->x = CORTEX_LITERAL;
    }
}

static const uint16_t cortex_wide_data[16] = {
    CORTEX_AND_I,
    CORTEX_BIC_I,
    CORTEX_ORR_I,
    CORTEX_ORN_I,
    CORTEX_EOR_I,
    0,
    0,
    0,
    CORTEX_ADD_I,
    0,
    CORTEX_ADC_I,
    CORTEX_SBC_I,
    0,
    CORTEX_SUB_I,
    CORTEX_RSB_I,
    0,
};

/* Which operation: `form` is what is added to the one with a number. */
static void cortex_wide_operation(struct cortex_insn *i, uint32_t w, unsigned form)
{
    enum { AND = 0, ORR = 2, ORN = 3, EOR = 4, ADD = 8, SUB = 13 };
    unsigned op = FIELD(w, 21, 4), base = cortex_wide_data[op], test = form / 2;
    bool flags = FIELD(w, 20, 1);
    if (!base)
        return;
    i->n = FIELD(w, 16, 4);
    i->d = FIELD(w, 8, 4);
    if (op == ORR && i->n == 15)
        base = CORTEX_MOV_I;
    else if (op == ORN && i->n == 15)
        base = CORTEX_MVN_I;
    if (i->d != 15)
        i->op = (uint16_t)(base + form + flags);
    else if (flags && op == AND)
        i->op = (uint16_t)(CORTEX_TST_I + test);
    else if (flags && op == EOR)
        i->op = (uint16_t)(CORTEX_TEQ_I + test);
    else if (flags && op == ADD)
        i->op = (uint16_t)(CORTEX_CMN_I + test);
    else if (flags && op == SUB)
        i->op = (uint16_t)(CORTEX_CMP_I + test);
}

static void cortex_wide_shifted(struct cortex_insn *i, uint32_t w)
{
    enum { PACK = 6, BY_REGISTER = 2, BY_SHIFT = 4 };
    unsigned amount = FIELD(w, 12, 3) << 2 | FIELD(w, 6, 2), kind = FIELD(w, 4, 2);
    if (FIELD(w, 21, 4) == PACK) {
        i->op = CORTEX_RARE;
        i->imm = w;
        return;
    }
    i->m = FIELD(w, 0, 4);
    i->x = (uint8_t)kind;
    if (kind == CORTEX_ROR && amount == 0) {
        i->x = CORTEX_RRX;
        amount = 1;
    } else if (kind != CORTEX_LSL && amount == 0) {
        amount = 32;
    }
    i->imm = amount;
    cortex_wide_operation(i, w, amount == 0 ? BY_REGISTER : BY_SHIFT);
}

/* ThumbExpandImm_C. */
static uint32_t cortex_wide_number(uint32_t w, uint8_t *carry)
{
    uint32_t imm = FIELD(w, 26, 1) << 11 | FIELD(w, 12, 3) << 8 | (w & 0xff), byte = imm & 0xff;
    *carry = CORTEX_CARRY_KEPT;
    if (!(imm >> 10)) {
        static const uint32_t patterns[4] = {0x00000001, 0x00010001, 0x01000100, 0x01010101};
        return byte * patterns[imm >> 8 & 3];
    }
    uint32_t value = cortex_ror(0x80 | (imm & 0x7f), imm >> 7);
    *carry = (uint8_t)(value >> 31);
    return value;
}

static void cortex_wide_immediate(struct cortex_insn *i, uint32_t w)
{
    i->imm = cortex_wide_number(w, &i->x);
    cortex_wide_operation(i, w, 0);
    if (i->op == CORTEX_SUB_I && i->d == 13 && i->n == 13)
        i->op = CORTEX_FRAME;
}

static void cortex_wide_plain(struct cortex_insn *i, uint32_t at, uint32_t w)
{
    uint32_t imm12 = FIELD(w, 26, 1) << 11 | FIELD(w, 12, 3) << 8 | (w & 0xff);
    uint32_t low = FIELD(w, 12, 3) << 2 | FIELD(w, 6, 2), base = (at + 4) & ~3u;
    i->n = FIELD(w, 16, 4);
    i->d = FIELD(w, 8, 4);
    i->imm = imm12;
    switch (FIELD(w, 20, 5)) {
    case 0x00:
        i->op = i->n == 15 ? CORTEX_MOV_I : CORTEX_ADD_I;
        i->imm += i->n == 15 ? base : 0;
        break;
    case 0x0a:
        i->op = i->n == 15 ? CORTEX_MOV_I : i->n == 13 && i->d == 13 ? CORTEX_FRAME : CORTEX_SUB_I;
        i->imm = i->n == 15 ? base - imm12 : imm12;
        break;
    case 0x04:
    case 0x0c:
        i->op = FIELD(w, 20, 5) == 4 ? CORTEX_MOV_I : CORTEX_MOVT;
        i->imm = (uint32_t)i->n << 12 | imm12;
        break;
    case 0x14:
    case 0x1c:
        i->op = FIELD(w, 20, 5) == 0x14 ? CORTEX_SBFX : CORTEX_UBFX;
        i->x = (uint8_t)low;
        i->imm = (w & 31) + 1;
        if (low + i->imm > 32)
            i->op = CORTEX_UNDEFINED;
        break;
    case 0x16:
        i->op = i->n == 15 ? CORTEX_BFC : CORTEX_BFI;
        i->x = (uint8_t)low;
        i->imm = (w & 31) + 1 - low;
        if ((w & 31) < low)
            i->op = CORTEX_UNDEFINED;
        break;
    case 0x10:
    case 0x12:
    case 0x18:
    case 0x1a:
        i->op = CORTEX_RARE;
        i->imm = w;
        break;
    default: break;
    }
}

static uint32_t cortex_wide_extended(uint32_t value, unsigned bits)
{
    uint32_t sign = 1u << (bits - 1);
    return (value ^ sign) - sign;
}

/* Special registers, barriers and hints. */
static void cortex_wide_control(struct cortex_insn *i, uint32_t w)
{
    static const uint16_t hints[5] = {CORTEX_NOP, CORTEX_NOP, CORTEX_WFE, CORTEX_WFI, CORTEX_SEV};
    unsigned op = FIELD(w, 20, 7);
    i->imm = w;
    if (op == 0x38 || op == 0x39 || op == 0x3e || op == 0x3f || (op == 0x3b && FIELD(w, 4, 4) == 2))
        i->op = CORTEX_SYSTEM;
    else if (op == 0x3a)
        i->op = FIELD(w, 8, 3) == 0 && (w & 0xff) < 5 ? hints[w & 0xff] : CORTEX_NOP;
    else if (op == 0x3b && FIELD(w, 4, 4) >= 4 && FIELD(w, 4, 4) <= 6)
        i->op = CORTEX_NOP; /* DSB, DMB, ISB: everything is in order */
}

static void cortex_wide_branch(struct cortex_insn *i, uint32_t at, uint32_t w)
{
    uint32_t s = FIELD(w, 26, 1), j1 = FIELD(w, 13, 1), j2 = FIELD(w, 11, 1);
    bool link = FIELD(w, 14, 1), far = FIELD(w, 12, 1);
    if (far) {
        uint32_t offset =
            s << 24 | (~(j1 ^ s) & 1) << 23 | (~(j2 ^ s) & 1) << 22 | FIELD(w, 16, 10) << 12 | FIELD(w, 0, 11) << 1;
        i->imm = at + 4 + cortex_wide_extended(offset, 25);
        i->op = link ? CORTEX_BL : i->imm == at ? CORTEX_B_SELF : CORTEX_B;
    } else if (!link && FIELD(w, 23, 3) != 7) {
        uint32_t offset = s << 20 | j2 << 19 | j1 << 18 | FIELD(w, 16, 6) << 12 | FIELD(w, 0, 11) << 1;
        i->imm = at + 4 + cortex_wide_extended(offset, 21);
        i->op = (uint16_t)(CORTEX_BEQ + FIELD(w, 22, 4));
    } else if (!link) {
        cortex_wide_control(i, w);
    }
}

/* Loads and stores of one register; the operations by size and sign, as they are with a number. */
static void cortex_wide_single(struct cortex_insn *i, uint32_t at, uint32_t w)
{
    static const uint16_t loads[2][4] = {{CORTEX_LDRB_I, CORTEX_LDRH_I, CORTEX_LDR_I, 0},
                                         {CORTEX_LDRSB_I, CORTEX_LDRSH_I, 0, 0}};
    static const uint16_t stores[4] = {CORTEX_STRB_I, CORTEX_STRH_I, CORTEX_STR_I, 0};
    enum { BY_REGISTER = 1, WRITING_BACK = 2 };
    bool load = FIELD(w, 20, 1), is_signed = FIELD(w, 24, 1), up = FIELD(w, 23, 1);
    unsigned size = FIELD(w, 21, 2), base = load ? loads[is_signed][size] : is_signed ? 0 : stores[size];
    if (!base)
        return;
    i->n = FIELD(w, 16, 4);
    i->d = FIELD(w, 12, 4);
    i->m = FIELD(w, 0, 4);
    i->x = CORTEX_INDEX;
    i->op = (uint16_t)base;
    i->imm = w & 0xfff;
    if (i->n == 15) {
        if (!load) {
            i->op = CORTEX_UNDEFINED;
            return;
        }
        i->imm = ((at + 4) & ~3u) + (up ? i->imm : 0u - i->imm);
        i->x = CORTEX_LITERAL;
    } else if (!up && FIELD(w, 11, 1)) {
        bool before = FIELD(w, 10, 1), write_back = FIELD(w, 8, 1);
        i->imm = FIELD(w, 9, 1) ? w & 0xff : 0u - (w & 0xff);
        i->x = (uint8_t)((before ? CORTEX_INDEX : 0) | (write_back || !before ? CORTEX_WRITE_BACK : 0));
        i->op = (uint16_t)(write_back || !before ? base + WRITING_BACK : base);
        if (!before && !write_back)
            i->op = CORTEX_UNDEFINED;
    } else if (!up) {
        i->imm = FIELD(w, 4, 2);
        i->x = CORTEX_SHIFTED;
        i->op = (uint16_t)(FIELD(w, 6, 6) ? CORTEX_UNDEFINED : base + BY_REGISTER);
    }
    if (i->op == CORTEX_UNDEFINED)
        return;
    if (i->d == 15)
        i->op = !load ? CORTEX_UNDEFINED : size == 2 ? CORTEX_LDR_PC : CORTEX_NOP; /* NOP: a hint to load ahead */
    else if (i->x == CORTEX_LITERAL && size == 2)
        i->op = CORTEX_LDR_L;
    else if (i->x == CORTEX_LITERAL) {
        i->op = CORTEX_LDRX_L;
        i->m = (uint8_t)(size | (is_signed ? 2 : 0)); /* byte or halfword, with its sign or not */
    }
}

static void cortex_wide_register(struct cortex_insn *i, uint32_t w)
{
    static const uint16_t extend[8] = {CORTEX_SXTH, CORTEX_UXTH, 0, 0, CORTEX_SXTB, CORTEX_UXTB, 0, 0};
    static const uint16_t reverse[4] = {CORTEX_REV, CORTEX_REV16, CORTEX_RBIT, CORTEX_REVSH};
    unsigned op1 = FIELD(w, 20, 4), op2 = FIELD(w, 4, 4);
    if (FIELD(w, 12, 4) != 15)
        return;
    i->n = FIELD(w, 16, 4);
    i->d = FIELD(w, 8, 4);
    i->m = FIELD(w, 0, 4);
    i->imm = w;
    if (op2 == 0 && op1 < 8)
        i->op = (uint16_t)(CORTEX_LSL_R + op1);
    else if (op1 < 6 && op2 >= 8)
        i->op = op2 == 8 && i->n == 15 && extend[op1] ? extend[op1] : CORTEX_RARE;
    else if (op1 == 9 && op2 >= 8 && op2 < 12)
        i->op = reverse[op2 & 3];
    else if (op1 == 11 && op2 == 8)
        i->op = CORTEX_CLZ;
    else if (op1 >= 8)
        i->op = CORTEX_RARE;
}

static void cortex_wide_multiply(struct cortex_insn *i, uint32_t w)
{
    unsigned op1 = FIELD(w, 20, 3), op2 = FIELD(w, 4, 4);
    i->n = FIELD(w, 16, 4);
    i->m = FIELD(w, 0, 4);
    i->d = FIELD(w, 8, 4);
    i->x = FIELD(w, 12, 4);
    i->imm = w;
    if (!FIELD(w, 23, 1)) {
        if (op1 == 0 && op2 == 0)
            i->op = i->x == 15 ? CORTEX_MUL : CORTEX_MLA;
        else if (op1 == 0 && op2 == 1)
            i->op = CORTEX_MLS;
        else
            i->op = CORTEX_RARE;
        return;
    }
    static const uint16_t longs[8] = {CORTEX_SMULL, 0, CORTEX_UMULL, 0, CORTEX_SMLAL, 0, CORTEX_UMLAL, 0};
    if (op2 == 0 && longs[op1])
        i->op = longs[op1];
    else if (op2 == 15 && (op1 == 1 || op1 == 3))
        i->op = op1 == 1 ? CORTEX_SDIV : CORTEX_UDIV;
    else
        i->op = CORTEX_RARE;
}

static void cortex_wide_coprocessor(struct cortex_insn *i, uint32_t w)
{
    i->imm = w;
    i->op = FIELD(w, 9, 3) == 5 ? CORTEX_FLOAT : CORTEX_UNDEFINED;
}

void cortex_decode_wide(struct cortex_insn *i, uint32_t at, uint32_t w, bool in_it)
{
    (void)in_it;
    unsigned op = FIELD(w, 20, 7);
    switch (FIELD(w, 27, 2)) {
    case 1:
        if (op & 0x40)
            cortex_wide_coprocessor(i, w);
        else if (op & 0x20)
            cortex_wide_shifted(i, w);
        else if (op & 4)
            cortex_wide_dual(i, at, w);
        else
            cortex_wide_multiple(i, w);
        break;
    case 2:
        if (FIELD(w, 15, 1))
            cortex_wide_branch(i, at, w);
        else if (op & 0x20)
            cortex_wide_plain(i, at, w);
        else
            cortex_wide_immediate(i, w);
        break;
    case 3:
        if (op & 0x40)
            cortex_wide_coprocessor(i, w);
        else if (!(op & 0x20))
            cortex_wide_single(i, at, w);
        else if (!(op & 0x10))
            cortex_wide_register(i, w);
        else
            cortex_wide_multiply(i, w);
        break;
    default: break;
    }
}
