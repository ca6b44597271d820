#include <stddef.h>

#include "isa/cortex/code.h"

/* ARM DDI 0403E, A5.2: the instructions of two bytes. */

static int32_t cortex_decode_signed(uint32_t value, unsigned bits)
{
    uint32_t sign = 1u << (bits - 1);
    return (int32_t)((value & ((sign << 1) - 1)) ^ sign) - (int32_t)sign;
}

static unsigned cortex_decode_flags(unsigned op, bool flags)
{
    return op + flags; /* each form without flags stands before the one with them */
}

/* Shift by a number, add, subtract, move and compare: 00xxxx. */
static void cortex_decode_shift(struct cortex_insn *i, unsigned w, bool flags)
{
    unsigned op = w >> 11 & 7;
    i->d = w & 7;
    i->n = i->m = w >> 3 & 7;
    i->imm = w >> 6 & 31;
    if (op < 3) {
        i->x = (uint8_t)op;
        if (op != CORTEX_LSL && i->imm == 0)
            i->imm = 32;
        if (op == CORTEX_LSL && i->imm == 0)
            i->op = (uint16_t)cortex_decode_flags(CORTEX_MOV_R, flags);
        else
            i->op = (uint16_t)(!flags             ? CORTEX_MOV_S
                               : op == CORTEX_LSL ? CORTEX_LSL_IF
                               : op == CORTEX_LSR ? CORTEX_LSR_IF
                                                  : CORTEX_ASR_IF);
    } else if (op == 3) {
        bool number = w >> 10 & 1, subtract = w >> 9 & 1;
        i->m = w >> 6 & 7;
        i->imm = w >> 6 & 7;
        unsigned base = number ? (subtract ? CORTEX_SUB_I : CORTEX_ADD_I) : subtract ? CORTEX_SUB_R : CORTEX_ADD_R;
        i->op = (uint16_t)cortex_decode_flags(base, flags);
    } else {
        static const uint16_t forms[4] = {CORTEX_MOV_I, CORTEX_CMP_I, CORTEX_ADD_I, CORTEX_SUB_I};
        i->d = i->n = w >> 8 & 7;
        i->imm = w & 0xff;
        i->x = CORTEX_CARRY_KEPT;
        i->op = (uint16_t)cortex_decode_flags(forms[op & 3], flags && (op & 3) != 1);
    }
}

/* Data processing on two registers: 010000. */
static void cortex_decode_data(struct cortex_insn *i, unsigned w, bool flags)
{
    static const struct {
        uint16_t op;
        bool flags, swapped;
    } forms[16] = {
        {CORTEX_AND_R, true, false}, {CORTEX_EOR_R, true, false},  {CORTEX_LSL_R, true, false},
        {CORTEX_LSR_R, true, false}, {CORTEX_ASR_R, true, false},  {CORTEX_ADC_R, true, false},
        {CORTEX_SBC_R, true, false}, {CORTEX_ROR_R, true, false},  {CORTEX_TST_R, false, false},
        {CORTEX_RSB_I, true, true},  {CORTEX_CMP_R, false, false}, {CORTEX_CMN_R, false, false},
        {CORTEX_ORR_R, true, false}, {CORTEX_MUL, true, true},     {CORTEX_BIC_R, true, false},
        {CORTEX_MVN_R, true, false},
    };
    unsigned op = w >> 6 & 15;
    i->d = i->n = w & 7;
    i->m = w >> 3 & 7;
    if (forms[op].swapped) { /* RSB Rd, Rm, #0 and MUL Rd, Rn, Rd */
        i->n = w >> 3 & 7;
        i->m = w & 7;
    }
    i->op = (uint16_t)cortex_decode_flags(forms[op].op, forms[op].flags && flags);
}

/* On high registers, and branches to registers: 010001. */
static void cortex_decode_high(struct cortex_insn *i, unsigned w)
{
    unsigned d = (w & 7) | (w >> 4 & 8), m = w >> 3 & 15;
    i->d = i->n = (uint8_t)d;
    i->m = (uint8_t)m;
    switch (w >> 8 & 3) {
    case 0: i->op = d == 15 ? CORTEX_ADD_PC : m == 15 ? CORTEX_PLUS_PC : CORTEX_ADD_R; break;
    case 1: i->op = CORTEX_CMP_R; break;
    case 2: i->op = d == 15 ? CORTEX_MOV_PC : m == 15 ? CORTEX_GET_PC : CORTEX_MOV_R; break;
    default: i->op = w & 0x80 ? CORTEX_BLX : CORTEX_BX; break;
    }
}

static void cortex_decode_memory(struct cortex_insn *i, unsigned w)
{
    static const uint16_t by_register[8] = {CORTEX_STR_R, CORTEX_STRH_R, CORTEX_STRB_R, CORTEX_LDRSB_R,
                                            CORTEX_LDR_R, CORTEX_LDRH_R, CORTEX_LDRB_R, CORTEX_LDRSH_R};
    static const struct {
        uint16_t op;
        uint8_t shift;
    } by_number[6] = {{CORTEX_STR_I, 2},  {CORTEX_LDR_I, 2},  {CORTEX_STRB_I, 0},
                      {CORTEX_LDRB_I, 0}, {CORTEX_STRH_I, 1}, {CORTEX_LDRH_I, 1}};
    unsigned group = w >> 12;
    i->d = w & 7;
    i->n = w >> 3 & 7;
    i->m = w >> 6 & 7;
    if (group == 5) {
        i->op = by_register[w >> 9 & 7];
        i->imm = 0;
    } else if (group == 9) {
        i->op = w & 0x800 ? CORTEX_LDR_I : CORTEX_STR_I;
        i->d = w >> 8 & 7;
        i->n = 13;
        i->imm = (w & 0xff) * 4;
    } else {
        unsigned k = (w >> 11) - 12;
        i->op = by_number[k].op;
        i->imm = (w >> 6 & 31) << by_number[k].shift;
    }
}

/* 1011: what has no better place. */
static void cortex_decode_misc(struct cortex_insn *i, uint32_t at, unsigned w)
{
    static const uint16_t extend[4] = {CORTEX_SXTH, CORTEX_SXTB, CORTEX_UXTH, CORTEX_UXTB};
    static const uint16_t reverse[4] = {CORTEX_REV, CORTEX_REV16, CORTEX_UNDEFINED, CORTEX_REVSH};
    static const uint16_t hints[5] = {CORTEX_NOP, CORTEX_NOP, CORTEX_WFE, CORTEX_WFI, CORTEX_SEV};
    i->d = w & 7;
    i->m = w >> 3 & 7;
    if ((w & 0xff00) == 0xb000) {
        i->d = i->n = 13;
        i->imm = (w & 0x7f) * 4;
        i->op = w & 0x80 ? CORTEX_FRAME : CORTEX_ADD_I;
    } else if ((w & 0xf500) == 0xb100) {
        i->n = w & 7;
        i->imm = at + 4 + ((w >> 2 & 0x3e) | (w >> 3 & 0x40));
        i->op = w & 0x800 ? CORTEX_CBNZ : CORTEX_CBZ;
    } else if ((w & 0xff00) == 0xb200) {
        i->op = extend[w >> 6 & 3];
    } else if ((w & 0xfe00) == 0xb400) {
        i->op = CORTEX_STM;
        i->n = 13;
        i->x = CORTEX_WRITE_BACK | CORTEX_INDEX;
        i->imm = (w & 0xff) | (w & 0x100) << 6;
    } else if ((w & 0xfe00) == 0xbc00) {
        i->op = CORTEX_LDM;
        i->n = 13;
        i->x = CORTEX_WRITE_BACK;
        i->imm = (w & 0xff) | (w & 0x100) << 7;
    } else if ((w & 0xffe8) == 0xb660) {
        i->op = CORTEX_SYSTEM;
        i->imm = w;
    } else if ((w & 0xff00) == 0xba00) {
        i->op = reverse[w >> 6 & 3];
    } else if ((w & 0xff00) == 0xbe00) {
        i->op = CORTEX_BKPT;
        i->imm = w & 0xff;
    } else if ((w & 0xff00) == 0xbf00) {
        unsigned hint = w >> 4 & 15;
        i->op = w & 15 ? CORTEX_IT : hint < 5 ? hints[hint] : CORTEX_NOP;
        i->imm = w & 0xff;
    }
}

static void cortex_decode_branch(struct cortex_insn *i, uint32_t at, unsigned w)
{
    unsigned condition = w >> 8 & 15;
    if ((w & 0xf800) == 0xe000) {
        i->imm = at + 4 + (uint32_t)(cortex_decode_signed(w & 0x7ff, 11) * 2);
        i->op = i->imm == at ? CORTEX_B_SELF : CORTEX_B;
    } else if (condition == 15) {
        i->op = CORTEX_SVC;
        i->imm = w & 0xff;
    } else if (condition < 14) {
        i->imm = at + 4 + (uint32_t)(cortex_decode_signed(w & 0xff, 8) * 2);
        i->op = (uint16_t)(CORTEX_BEQ + condition);
    }
}

static void cortex_decode_narrow(struct cortex_insn *i, uint32_t at, unsigned w, bool in_it)
{
    switch (w >> 12) {
    case 0:
    case 1:
    case 2:
    case 3: cortex_decode_shift(i, w, !in_it); break;
    case 4:
        if ((w & 0xfc00) == 0x4000) {
            cortex_decode_data(i, w, !in_it);
        } else if ((w & 0xfc00) == 0x4400) {
            cortex_decode_high(i, w);
        } else {
            i->op = CORTEX_LDR_L;
            i->d = w >> 8 & 7;
            i->imm = ((at + 4) & ~3u) + (w & 0xff) * 4;
        }
        break;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9: cortex_decode_memory(i, w); break;
    case 10:
        i->d = w >> 8 & 7;
        i->n = 13;
        i->imm = (w & 0xff) * 4;
        i->op = CORTEX_ADD_I;
        if (!(w & 0x800)) {
            i->op = CORTEX_MOV_I;
            i->imm += (at + 4) & ~3u;
        }
        break;
    case 11: cortex_decode_misc(i, at, w); break;
    case 12:
        i->op = w & 0x800 ? CORTEX_LDM : CORTEX_STM;
        i->n = w >> 8 & 7;
        i->imm = w & 0xff;
        i->x = w & 0x800 && w >> (w >> 8 & 7) & 1 ? 0 : CORTEX_WRITE_BACK;
        break;
    default: cortex_decode_branch(i, at, w); break;
    }
}

static struct cortex_insn cortex_decode_undefined(const struct cortex_insn *i, uint16_t first)
{
    return (struct cortex_insn){.op = CORTEX_UNDEFINED, .length = i->length, .it = i->it, .imm = first};
}

struct cortex_insn cortex_decode(uint32_t at, uint16_t first, uint16_t second, unsigned it)
{
    struct cortex_insn i = {.op = CORTEX_UNDEFINED, .length = 1, .it = (uint8_t)it};
    if (cortex_is_wide(first)) {
        i.length = 2;
        cortex_decode_wide(&i, at, (uint32_t)first << 16 | second, it != 0);
    } else {
        cortex_decode_narrow(&i, at, first, it != 0);
    }
    if (it && i.op == CORTEX_IT) /* which is unpredictable */
        return cortex_decode_undefined(&i, first);
    if (i.op == CORTEX_UNDEFINED)
        i.imm = i.length == 2 ? (uint32_t)first << 16 | second : first;
    if (it && i.op != CORTEX_BKPT)
        i.op |= CORTEX_CONDITIONAL;
    return i;
}

/* ARMv6-M (ARM DDI 0419, A5): Thumb without CBZ, CBNZ and IT; of the long instructions BL, MSR, MRS and barriers. */
static bool cortex_decode_in_baseline(uint16_t first, unsigned op)
{
    if (!cortex_is_wide(first))
        return op != CORTEX_CBZ && op != CORTEX_CBNZ && op != CORTEX_IT;
    return op == CORTEX_BL || (first & 0xfff0) == 0xf380 || first == 0xf3ef || first == 0xf3bf;
}

struct cortex_insn cortex_decode_on(const struct cortex_code *code, uint32_t at, uint16_t first, uint16_t second,
                                    unsigned it)
{
    struct cortex_insn i = cortex_decode(at, first, second, it);
    if (code->baseline && !cortex_decode_in_baseline(first, i.op & ~(unsigned)CORTEX_BITS))
        return cortex_decode_undefined(&i, first);
    return i;
}

static uint8_t cortex_decode_count(uint32_t list)
{
    return (uint8_t)__builtin_popcount(list);
}

/* Whether an operation that treats all registers alike has PC as an operand. */
static bool cortex_decode_reads_pc(const struct cortex_insn *i, unsigned op)
{
    enum { PC = 15 };
    bool literal = i->x & CORTEX_LITERAL && (op == CORTEX_LDR_PC || op == CORTEX_LDRD);
    if (op >= CORTEX_AND_I && op <= CORTEX_CMN_S)
        return i->m == PC || (i->n == PC && !(op >= CORTEX_MOV_I && op <= CORTEX_MVN_SF));
    if (op >= CORTEX_LSL_R && op <= CORTEX_ROR_RF)
        return i->n == PC || i->m == PC;
    if (op >= CORTEX_LSL_IF && op <= CORTEX_ASR_IF)
        return i->m == PC;
    if (op >= CORTEX_MUL && op <= CORTEX_SDIV)
        return i->n == PC || i->m == PC || (i->x == PC && op > CORTEX_MUL_F) || i->d == PC;
    if (op >= CORTEX_LDR_I && op <= CORTEX_STRH_W)
        return i->n == PC || i->d == PC || ((op - CORTEX_LDR_I) % 3 == 1 && i->m == PC);
    switch (op) {
    case CORTEX_MOVT:
    case CORTEX_BFC: return i->d == PC;
    case CORTEX_BFI:
    case CORTEX_STREX: return i->d == PC || i->n == PC || (op == CORTEX_STREX && i->m == PC);
    case CORTEX_SBFX:
    case CORTEX_UBFX:
    case CORTEX_LDM:
    case CORTEX_STM:
    case CORTEX_LDREX: return i->n == PC;
    case CORTEX_SXTB:
    case CORTEX_SXTH:
    case CORTEX_UXTB:
    case CORTEX_UXTH:
    case CORTEX_REV:
    case CORTEX_REV16:
    case CORTEX_REVSH:
    case CORTEX_RBIT:
    case CORTEX_CLZ:
    case CORTEX_TBB:
    case CORTEX_TBH:
    case CORTEX_BX:
    case CORTEX_BLX:
    case CORTEX_MOV_PC:
    case CORTEX_ADD_PC: return i->m == PC;
    case CORTEX_LDR_PC: return !literal && (i->n == PC || i->m == PC);
    case CORTEX_LDRD:
    case CORTEX_STRD: return (!literal && i->n == PC) || i->d == PC || i->m == PC;
    case CORTEX_RARE: return true; /* perhaps */
    default: return false;
    }
}

void cortex_settle(struct cortex_insn *i, uint32_t at, uint32_t size, bool alone)
{
    enum { ALWAYS = 14 };
    unsigned op = i->op & ~(unsigned)CORTEX_BITS, bits = i->op & CORTEX_BITS;
    bool far = i->imm >= size;
    if (cortex_decode_reads_pc(i, op))
        bits |= CORTEX_READS_PC;
    if (op == CORTEX_LDM || op == CORTEX_STM)
        i->m = cortex_decode_count(i->imm);
    if (op >= CORTEX_BEQ && op <= CORTEX_B && far) {
        i->x = (uint8_t)(op == CORTEX_B ? ALWAYS : op - CORTEX_BEQ);
        op = CORTEX_B_FAR;
    } else if (op == CORTEX_BL && far) {
        op = CORTEX_BL_FAR;
    } else if (op == CORTEX_CBZ && far) {
        op = CORTEX_CBZ_FAR;
    } else if (op == CORTEX_CBNZ && far) {
        op = CORTEX_CBNZ_FAR;
    } else if (op == CORTEX_IT && alone) {
        i->x = (uint8_t)i->imm;
        op = CORTEX_IT_FAR;
    }
    i->op = (uint16_t)(op | bits | (i->length == 2 ? CORTEX_WIDE : 0));
    i->at = at;
}

uint32_t cortex_entry(const struct cortex_code *code, uint32_t pc, unsigned it)
{
    if (pc >= code->size)
        return UINT32_MAX;
    if (!it)
        return pc / 2;
    for (uint32_t back = 2; back <= 2 * (CORTEX_BLOCK - 1) && back <= pc; back += 2) {
        const struct cortex_insn *i = &code->insn[(pc - back) / 2];
        if ((i->op & ~CORTEX_BITS) != CORTEX_IT)
            continue;
        const struct cortex_insn *in = &code->insn[i->imm + back / 2 - 1];
        if (in->it == it && (in->op & ~CORTEX_BITS) != CORTEX_REJOIN)
            return i->imm + back / 2 - 1;
    }
    return UINT32_MAX;
}
