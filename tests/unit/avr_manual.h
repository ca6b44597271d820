/* The AVR Instruction Set Manual (Atmel-0856) as a program: each instruction's bit pattern, its boolean formulae and
 * its cycles (columns AVRe and AVRe with a 22-bit PC), written down from the manual and from nothing in src/isa.
 *
 * Invariant: plain and slow on purpose. One step of the model is what the manual says, bit by bit.
 */
#ifndef TESTS_AVR_MANUAL_H
#define TESTS_AVR_MANUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MANUAL_C, MANUAL_Z, MANUAL_N, MANUAL_V, MANUAL_S, MANUAL_H, MANUAL_T, MANUAL_I };
enum { MANUAL_X = 26, MANUAL_Y = 28, MANUAL_Z_POINTER = 30 };
enum { MANUAL_RAMPZ = 0x5b, MANUAL_EIND = 0x5c, MANUAL_SPL = 0x5d, MANUAL_SREG = 0x5f };

struct manual {
    uint8_t data[0x2200]; /* r0-r31, I/O, RAM */
    uint32_t data_size;
    const uint16_t *flash;
    uint32_t words;
    unsigned pc_bytes;
    uint32_t pc;
    uint64_t cycles;
};

/* The letters of the pattern: registers, immediates, displacement, I/O address, bit, flag, jump. */
struct manual_fields {
    unsigned d, r, K, q, A, b, s, k;
};

typedef void manual_definition(struct manual *m, const struct manual_fields *f);

struct manual_instruction {
    const char *name, *pattern;
    manual_definition *define;
    unsigned cycles;       /* when nothing is skipped and no branch taken */
    unsigned cycles_22bit; /* where the PC has 22 bits */
};

#define BIT_OF(x, i) ((unsigned)(x) >> (i)&1u)
#define NOT_OF(x, i) (BIT_OF(x, i) ^ 1u)

/* ---- state ---- */

static inline bool manual_flag(const struct manual *m, unsigned flag)
{
    return m->data[MANUAL_SREG] >> flag & 1;
}

static inline void manual_set_flag(struct manual *m, unsigned flag, bool on)
{
    uint8_t bit = (uint8_t)(1u << flag);
    m->data[MANUAL_SREG] = (uint8_t)(on ? m->data[MANUAL_SREG] | bit : m->data[MANUAL_SREG] & ~bit);
}

static inline unsigned manual_pair(const struct manual *m, unsigned low)
{
    return m->data[low] + 256u * m->data[low + 1];
}

static inline void manual_set_pair(struct manual *m, unsigned low, unsigned value)
{
    m->data[low] = (uint8_t)value;
    m->data[low + 1] = (uint8_t)(value >> 8);
}

static inline uint8_t manual_load(const struct manual *m, unsigned address)
{
    address &= 0xffff;
    return address < m->data_size ? m->data[address] : 0;
}

static inline void manual_store(struct manual *m, unsigned address, uint8_t value)
{
    address &= 0xffff;
    if (address < m->data_size)
        m->data[address] = value;
}

static inline void manual_push(struct manual *m, uint8_t value)
{
    unsigned sp = manual_pair(m, MANUAL_SPL);
    manual_store(m, sp, value);
    manual_set_pair(m, MANUAL_SPL, sp - 1);
}

static inline uint8_t manual_pop(struct manual *m)
{
    unsigned sp = manual_pair(m, MANUAL_SPL) + 1;
    manual_set_pair(m, MANUAL_SPL, sp);
    return manual_load(m, sp);
}

static inline void manual_jump(struct manual *m, uint32_t to)
{
    m->pc = to & (m->words - 1);
}

static inline void manual_call(struct manual *m, uint32_t to)
{
    for (unsigned i = 0; i < m->pc_bytes; i++)
        manual_push(m, (uint8_t)(m->pc >> (8 * i)));
    manual_jump(m, to);
}

static inline void manual_return(struct manual *m)
{
    uint32_t to = 0;
    for (unsigned i = 0; i < m->pc_bytes; i++)
        to = to << 8 | manual_pop(m);
    manual_jump(m, to);
}

static inline uint8_t manual_program_byte(const struct manual *m, uint32_t address)
{
    uint16_t word = m->flash[(address / 2) & (m->words - 1)];
    return (uint8_t)(address & 1 ? word >> 8 : word);
}

static inline bool manual_two_words(uint16_t opcode)
{
    bool lds = (opcode & 0xfe0f) == 0x9000, sts = (opcode & 0xfe0f) == 0x9200;
    bool jmp = (opcode & 0xfe0e) == 0x940c, call = (opcode & 0xfe0e) == 0x940e;
    return lds || sts || jmp || call;
}

static inline uint16_t manual_word(const struct manual *m, uint32_t pc)
{
    return m->flash[pc & (m->words - 1)];
}

static inline void manual_skip_if(struct manual *m, bool condition)
{
    if (!condition)
        return;
    unsigned words = manual_two_words(manual_word(m, m->pc)) ? 2 : 1;
    m->cycles += words;
    manual_jump(m, m->pc + words);
}

static inline int32_t manual_signed(unsigned value, unsigned bits)
{
    return BIT_OF(value, bits - 1) ? (int32_t)value - (1 << bits) : (int32_t)value;
}

/* ---- flags ---- */

static inline void manual_nz(struct manual *m, uint8_t R)
{
    manual_set_flag(m, MANUAL_N, BIT_OF(R, 7));
    manual_set_flag(m, MANUAL_Z, R == 0);
}

static inline void manual_sign(struct manual *m)
{
    manual_set_flag(m, MANUAL_S, manual_flag(m, MANUAL_N) ^ manual_flag(m, MANUAL_V));
}

static inline uint8_t manual_add(struct manual *m, unsigned Rd, unsigned Rr, unsigned carry)
{
    uint8_t R = (uint8_t)(Rd + Rr + carry);
#define MAJORITY(i) ((BIT_OF(Rd, i) & BIT_OF(Rr, i)) | (BIT_OF(Rr, i) & NOT_OF(R, i)) | (NOT_OF(R, i) & BIT_OF(Rd, i)))
    manual_set_flag(m, MANUAL_H, MAJORITY(3));
    manual_set_flag(m, MANUAL_C, MAJORITY(7));
#undef MAJORITY
    manual_set_flag(m, MANUAL_V,
                    (BIT_OF(Rd, 7) & BIT_OF(Rr, 7) & NOT_OF(R, 7)) | (NOT_OF(Rd, 7) & NOT_OF(Rr, 7) & BIT_OF(R, 7)));
    manual_nz(m, R);
    manual_sign(m);
    return R;
}

static inline uint8_t manual_subtract(struct manual *m, unsigned Rd, unsigned Rr, unsigned carry, bool keeps_z)
{
    uint8_t R = (uint8_t)(Rd - Rr - carry);
    bool z = manual_flag(m, MANUAL_Z);
#define BORROW(i) ((NOT_OF(Rd, i) & BIT_OF(Rr, i)) | (BIT_OF(Rr, i) & BIT_OF(R, i)) | (BIT_OF(R, i) & NOT_OF(Rd, i)))
    manual_set_flag(m, MANUAL_H, BORROW(3));
    manual_set_flag(m, MANUAL_C, BORROW(7));
#undef BORROW
    manual_set_flag(m, MANUAL_V,
                    (BIT_OF(Rd, 7) & NOT_OF(Rr, 7) & NOT_OF(R, 7)) | (NOT_OF(Rd, 7) & BIT_OF(Rr, 7) & BIT_OF(R, 7)));
    manual_nz(m, R);
    if (keeps_z)
        manual_set_flag(m, MANUAL_Z, R == 0 && z);
    manual_sign(m);
    return R;
}

static inline uint8_t manual_logic(struct manual *m, unsigned R)
{
    manual_set_flag(m, MANUAL_V, false);
    manual_nz(m, (uint8_t)R);
    manual_sign(m);
    return (uint8_t)R;
}

static inline uint8_t manual_shift_right(struct manual *m, unsigned Rd, unsigned bit7)
{
    uint8_t R = (uint8_t)(Rd >> 1 | bit7 << 7);
    manual_set_flag(m, MANUAL_C, BIT_OF(Rd, 0));
    manual_nz(m, R);
    manual_set_flag(m, MANUAL_V, manual_flag(m, MANUAL_N) ^ manual_flag(m, MANUAL_C));
    manual_sign(m);
    return R;
}

static inline void manual_product(struct manual *m, int product, bool fractional)
{
    manual_set_flag(m, MANUAL_C, BIT_OF(product, 15));
    unsigned R = (fractional ? (unsigned)product << 1 : (unsigned)product) & 0xffff;
    manual_set_flag(m, MANUAL_Z, R == 0);
    manual_set_pair(m, 0, R);
}

/* ---- definitions; names as in the manual ---- */
/* clang-format off */

#define DEFINE(name)                                                           \
    static inline void manual_##name(struct manual *m __attribute__((unused)), \
                                     const struct manual_fields *f __attribute__((unused)))
#define Rd      m->data[f->d]
#define Rr      m->data[f->r]
#define Rd_high m->data[16 + f->d] /* dddd or ddd from r16 */
#define Rr_high m->data[16 + f->r]
#define FLAG(x) manual_flag(m, MANUAL_##x)

DEFINE(NOP) {}
DEFINE(ADD) { Rd = manual_add(m, Rd, Rr, 0); }
DEFINE(ADC) { Rd = manual_add(m, Rd, Rr, FLAG(C)); }
DEFINE(SUB) { Rd = manual_subtract(m, Rd, Rr, 0, false); }
DEFINE(SBC) { Rd = manual_subtract(m, Rd, Rr, FLAG(C), true); }
DEFINE(SUBI) { Rd_high = manual_subtract(m, Rd_high, f->K, 0, false); }
DEFINE(SBCI) { Rd_high = manual_subtract(m, Rd_high, f->K, FLAG(C), true); }
DEFINE(CP) { manual_subtract(m, Rd, Rr, 0, false); }
DEFINE(CPC) { manual_subtract(m, Rd, Rr, FLAG(C), true); }
DEFINE(CPI) { manual_subtract(m, Rd_high, f->K, 0, false); }
DEFINE(AND) { Rd = manual_logic(m, Rd & Rr); }
DEFINE(OR) { Rd = manual_logic(m, Rd | Rr); }
DEFINE(EOR) { Rd = manual_logic(m, Rd ^ Rr); }
DEFINE(ANDI) { Rd_high = manual_logic(m, Rd_high & f->K); }
DEFINE(ORI) { Rd_high = manual_logic(m, Rd_high | f->K); }
DEFINE(COM)
{
    Rd = manual_logic(m, 0xffu - Rd);
    manual_set_flag(m, MANUAL_C, true);
}
DEFINE(NEG)
{
    uint8_t R = (uint8_t)(0u - Rd);
    manual_set_flag(m, MANUAL_H, BIT_OF(R, 3) | BIT_OF(Rd, 3));
    manual_set_flag(m, MANUAL_V, R == 0x80);
    manual_nz(m, R);
    manual_sign(m);
    manual_set_flag(m, MANUAL_C, R != 0);
    Rd = R;
}
DEFINE(INC)
{
    Rd = (uint8_t)(Rd + 1);
    manual_set_flag(m, MANUAL_V, Rd == 0x80);
    manual_nz(m, Rd);
    manual_sign(m);
}
DEFINE(DEC)
{
    Rd = (uint8_t)(Rd - 1);
    manual_set_flag(m, MANUAL_V, Rd == 0x7f);
    manual_nz(m, Rd);
    manual_sign(m);
}
DEFINE(ASR) { Rd = manual_shift_right(m, Rd, BIT_OF(Rd, 7)); }
DEFINE(LSR) { Rd = manual_shift_right(m, Rd, 0); }
DEFINE(ROR) { Rd = manual_shift_right(m, Rd, FLAG(C)); }
DEFINE(SWAP) { Rd = (uint8_t)((Rd & 15) * 16 + Rd / 16); }
DEFINE(MOV) { Rd = Rr; }
DEFINE(MOVW) { manual_set_pair(m, 2 * f->d, manual_pair(m, 2 * f->r)); }
DEFINE(LDI) { Rd_high = (uint8_t)f->K; }
static inline void manual_word_flags(struct manual *m, unsigned R, bool v, bool c)
{
    manual_set_flag(m, MANUAL_V, v);
    manual_set_flag(m, MANUAL_N, BIT_OF(R, 15));
    manual_set_flag(m, MANUAL_Z, R == 0);
    manual_set_flag(m, MANUAL_C, c);
    manual_sign(m);
}
DEFINE(ADIW)
{
    unsigned at = 24 + 2 * f->d, old = manual_pair(m, at), R = (old + f->K) & 0xffff;
    manual_word_flags(m, R, NOT_OF(old, 15) & BIT_OF(R, 15), NOT_OF(R, 15) & BIT_OF(old, 15));
    manual_set_pair(m, at, R);
}
DEFINE(SBIW)
{
    unsigned at = 24 + 2 * f->d, old = manual_pair(m, at), R = (old - f->K) & 0xffff;
    manual_word_flags(m, R, BIT_OF(old, 15) & NOT_OF(R, 15), BIT_OF(R, 15) & NOT_OF(old, 15));
    manual_set_pair(m, at, R);
}

DEFINE(MUL) { manual_product(m, Rd * Rr, false); }
DEFINE(MULS) { manual_product(m, (int8_t)Rd_high * (int8_t)Rr_high, false); }
DEFINE(MULSU) { manual_product(m, (int8_t)Rd_high * (int)Rr_high, false); }
DEFINE(FMUL) { manual_product(m, Rd_high * Rr_high, true); }
DEFINE(FMULS) { manual_product(m, (int8_t)Rd_high * (int8_t)Rr_high, true); }
DEFINE(FMULSU) { manual_product(m, (int8_t)Rd_high * (int)Rr_high, true); }
DEFINE(BSET) { manual_set_flag(m, f->s, true); }
DEFINE(BCLR) { manual_set_flag(m, f->s, false); }
DEFINE(BST) { manual_set_flag(m, MANUAL_T, BIT_OF(Rd, f->b)); }
DEFINE(BLD) { Rd = (uint8_t)((Rd & ~(1u << f->b)) | (unsigned)FLAG(T) << f->b); }
DEFINE(RJMP) { manual_jump(m, m->pc + (uint32_t)manual_signed(f->k, 12)); }
DEFINE(RCALL) { manual_call(m, m->pc + (uint32_t)manual_signed(f->k, 12)); }
DEFINE(JMP) { manual_jump(m, f->k << 16 | manual_word(m, m->pc)); }
DEFINE(CALL)
{
    uint32_t to = f->k << 16 | manual_word(m, m->pc);
    m->pc++;
    manual_call(m, to);
}
DEFINE(IJMP) { manual_jump(m, manual_pair(m, MANUAL_Z_POINTER)); }
DEFINE(ICALL) { manual_call(m, manual_pair(m, MANUAL_Z_POINTER)); }
DEFINE(EIJMP) { manual_jump(m, 0x10000u * m->data[MANUAL_EIND] + manual_pair(m, MANUAL_Z_POINTER)); }
DEFINE(EICALL) { manual_call(m, 0x10000u * m->data[MANUAL_EIND] + manual_pair(m, MANUAL_Z_POINTER)); }
DEFINE(RET) { manual_return(m); }
DEFINE(RETI)
{
    manual_return(m);
    manual_set_flag(m, MANUAL_I, true);
}

static inline void manual_branch_if(struct manual *m, const struct manual_fields *f, bool condition)
{
    if (!condition)
        return;
    m->cycles++;
    manual_jump(m, m->pc + (uint32_t)manual_signed(f->k, 7));
}
DEFINE(BRBS) { manual_branch_if(m, f, manual_flag(m, f->s)); }
DEFINE(BRBC) { manual_branch_if(m, f, !manual_flag(m, f->s)); }
DEFINE(CPSE) { manual_skip_if(m, Rd == Rr); }
DEFINE(SBRC) { manual_skip_if(m, NOT_OF(Rr, f->b)); }
DEFINE(SBRS) { manual_skip_if(m, BIT_OF(Rr, f->b)); }
DEFINE(SBIC) { manual_skip_if(m, NOT_OF(m->data[0x20 + f->A], f->b)); }
DEFINE(SBIS) { manual_skip_if(m, BIT_OF(m->data[0x20 + f->A], f->b)); }
DEFINE(IN) { Rd = m->data[0x20 + f->A]; }
DEFINE(OUT) { m->data[0x20 + f->A] = Rr; }
DEFINE(SBI) { m->data[0x20 + f->A] |= (uint8_t)(1u << f->b); }
DEFINE(CBI) { m->data[0x20 + f->A] &= (uint8_t) ~(1u << f->b); }
DEFINE(PUSH) { manual_push(m, Rd); }
DEFINE(POP) { Rd = manual_pop(m); }
#define DEFINE_POINTER(P, low)                            \
    DEFINE(LD_##P##_INC)                                  \
    {                                                     \
        Rd = manual_load(m, manual_pair(m, low));         \
        manual_set_pair(m, low, manual_pair(m, low) + 1); \
    }                                                     \
    DEFINE(LD_##P##_DEC)                                  \
    {                                                     \
        manual_set_pair(m, low, manual_pair(m, low) - 1); \
        Rd = manual_load(m, manual_pair(m, low));         \
    }                                                     \
    DEFINE(ST_##P##_INC)                                  \
    {                                                     \
        unsigned at = manual_pair(m, low);                \
        manual_store(m, at, Rr);                          \
        manual_set_pair(m, low, at + 1);                  \
    }                                                     \
    DEFINE(ST_##P##_DEC)                                  \
    {                                                     \
        manual_set_pair(m, low, manual_pair(m, low) - 1); \
        manual_store(m, manual_pair(m, low), Rr);         \
    }                                                     \
    DEFINE(LDD_##P)                                       \
    {                                                     \
        Rd = manual_load(m, manual_pair(m, low) + f->q);  \
    }                                                     \
    DEFINE(STD_##P)                                       \
    {                                                     \
        manual_store(m, manual_pair(m, low) + f->q, Rr);  \
    }
DEFINE_POINTER(X, MANUAL_X)
DEFINE_POINTER(Y, MANUAL_Y)
DEFINE_POINTER(Z, MANUAL_Z_POINTER)

DEFINE(LDS)
{
    unsigned at = manual_word(m, m->pc);
    manual_jump(m, m->pc + 1);
    Rd = manual_load(m, at);
}
DEFINE(STS)
{
    unsigned at = manual_word(m, m->pc);
    manual_jump(m, m->pc + 1);
    manual_store(m, at, Rd);
}

DEFINE(LPM)
{
    Rd = manual_program_byte(m, manual_pair(m, MANUAL_Z_POINTER));
} /* LPM without operands has d = 0 */
DEFINE(LPM_INC)
{
    Rd = manual_program_byte(m, manual_pair(m, MANUAL_Z_POINTER));
    manual_set_pair(m, MANUAL_Z_POINTER, manual_pair(m, MANUAL_Z_POINTER) + 1);
}
DEFINE(ELPM)
{
    Rd = manual_program_byte(m, 0x10000u * m->data[MANUAL_RAMPZ] + manual_pair(m, MANUAL_Z_POINTER));
}
DEFINE(ELPM_INC)
{
    uint32_t at = 0x10000u * m->data[MANUAL_RAMPZ] + manual_pair(m, MANUAL_Z_POINTER);
    Rd = manual_program_byte(m, at);
    manual_set_pair(m, MANUAL_Z_POINTER, at + 1);
    m->data[MANUAL_RAMPZ] = (uint8_t)((at + 1) >> 16);
}

/* clang-format on */
#undef DEFINE_POINTER
#undef DEFINE
#undef Rd
#undef Rr
#undef Rd_high
#undef Rr_high
#undef FLAG

/* ---- patterns and cycles ---- */

#define SAME(name, pattern, cycles)                   \
    {                                                 \
#name, pattern, manual_##name, cycles, cycles \
    }
#define CALLS(name, pattern, cycles)                      \
    {                                                     \
#name, pattern, manual_##name, cycles, cycles + 1 \
    }
/* clang-format off */
static const struct manual_instruction manual_instructions[] = {
    SAME(NOP, "0000000000000000", 1),                   SAME(MOVW, "00000001ddddrrrr", 1),
    SAME(MULS, "00000010ddddrrrr", 2),                  SAME(MULSU, "000000110ddd0rrr", 2),
    SAME(FMUL, "000000110ddd1rrr", 2),                  SAME(FMULS, "000000111ddd0rrr", 2),
    SAME(FMULSU, "000000111ddd1rrr", 2),                SAME(CPC, "000001rdddddrrrr", 1),
    SAME(SBC, "000010rdddddrrrr", 1),                   SAME(ADD, "000011rdddddrrrr", 1),
    SAME(CPSE, "000100rdddddrrrr", 1),                  SAME(CP, "000101rdddddrrrr", 1),
    SAME(SUB, "000110rdddddrrrr", 1),                   SAME(ADC, "000111rdddddrrrr", 1),
    SAME(AND, "001000rdddddrrrr", 1),                   SAME(EOR, "001001rdddddrrrr", 1),
    SAME(OR, "001010rdddddrrrr", 1),                    SAME(MOV, "001011rdddddrrrr", 1),
    SAME(CPI, "0011KKKKddddKKKK", 1),                   SAME(SBCI, "0100KKKKddddKKKK", 1),
    SAME(SUBI, "0101KKKKddddKKKK", 1),                  SAME(ORI, "0110KKKKddddKKKK", 1),
    SAME(ANDI, "0111KKKKddddKKKK", 1),                  SAME(LDD_Z, "10q0qq0ddddd0qqq", 2),
    SAME(LDD_Y, "10q0qq0ddddd1qqq", 2),                 SAME(STD_Z, "10q0qq1rrrrr0qqq", 2),
    SAME(STD_Y, "10q0qq1rrrrr1qqq", 2),                 SAME(LDS, "1001000ddddd0000", 2),
    SAME(LD_Z_INC, "1001000ddddd0001", 2),              SAME(LD_Z_DEC, "1001000ddddd0010", 2),
    SAME(LPM, "1001000ddddd0100", 3),                   SAME(LPM_INC, "1001000ddddd0101", 3),
    SAME(ELPM, "1001000ddddd0110", 3),                  SAME(ELPM_INC, "1001000ddddd0111", 3),
    SAME(LD_Y_INC, "1001000ddddd1001", 2),              SAME(LD_Y_DEC, "1001000ddddd1010", 2),
    SAME(LDD_X, "1001000ddddd1100", 2),                 SAME(LD_X_INC, "1001000ddddd1101", 2),
    SAME(LD_X_DEC, "1001000ddddd1110", 2),              SAME(POP, "1001000ddddd1111", 2),
    SAME(STS, "1001001ddddd0000", 2),                   SAME(ST_Z_INC, "1001001rrrrr0001", 2),
    SAME(ST_Z_DEC, "1001001rrrrr0010", 2),              SAME(ST_Y_INC, "1001001rrrrr1001", 2),
    SAME(ST_Y_DEC, "1001001rrrrr1010", 2),              SAME(STD_X, "1001001rrrrr1100", 2),
    SAME(ST_X_INC, "1001001rrrrr1101", 2),              SAME(ST_X_DEC, "1001001rrrrr1110", 2),
    SAME(PUSH, "1001001ddddd1111", 2),                  SAME(COM, "1001010ddddd0000", 1),
    SAME(NEG, "1001010ddddd0001", 1),                   SAME(SWAP, "1001010ddddd0010", 1),
    SAME(INC, "1001010ddddd0011", 1),                   SAME(ASR, "1001010ddddd0101", 1),
    SAME(LSR, "1001010ddddd0110", 1),                   SAME(ROR, "1001010ddddd0111", 1),
    SAME(BSET, "100101000sss1000", 1),                  SAME(BCLR, "100101001sss1000", 1),
    CALLS(RET, "1001010100001000", 4),                  CALLS(RETI, "1001010100011000", 4),
    {"SLEEP", "1001010110001000", manual_NOP, 1, 1},    {"BREAK", "1001010110011000", manual_NOP, 1, 1},
    {"WDR", "1001010110101000", manual_NOP, 1, 1},      SAME(LPM, "1001010111001000", 3),
    SAME(ELPM, "1001010111011000", 3),                  {"SPM", "1001010111101000", manual_NOP, 1, 1},
    SAME(IJMP, "1001010000001001", 2),                  SAME(EIJMP, "1001010000011001", 2),
    CALLS(ICALL, "1001010100001001", 3),                CALLS(EICALL, "1001010100011001", 3),
    SAME(DEC, "1001010ddddd1010", 1),                   SAME(JMP, "1001010kkkkk110k", 3),
    CALLS(CALL, "1001010kkkkk111k", 4),                 SAME(ADIW, "10010110KKddKKKK", 2),
    SAME(SBIW, "10010111KKddKKKK", 2),                  SAME(CBI, "10011000AAAAAbbb", 2),
    SAME(SBIC, "10011001AAAAAbbb", 1),                  SAME(SBI, "10011010AAAAAbbb", 2),
    SAME(SBIS, "10011011AAAAAbbb", 1),                  SAME(MUL, "100111rdddddrrrr", 2),
    SAME(IN, "10110AAdddddAAAA", 1),                    SAME(OUT, "10111AArrrrrAAAA", 1),
    SAME(RJMP, "1100kkkkkkkkkkkk", 2),                  CALLS(RCALL, "1101kkkkkkkkkkkk", 3),
    SAME(LDI, "1110KKKKddddKKKK", 1),                   SAME(BRBS, "111100kkkkkkksss", 1),
    SAME(BRBC, "111101kkkkkkksss", 1),                  SAME(BLD, "1111100ddddd0bbb", 1),
    SAME(BST, "1111101ddddd0bbb", 1),                   SAME(SBRC, "1111110rrrrr0bbb", 1),
    SAME(SBRS, "1111111rrrrr0bbb", 1),
};
/* clang-format on */
#undef SAME
#undef CALLS
enum { MANUAL_INSTRUCTIONS = sizeof manual_instructions / sizeof manual_instructions[0] };

static inline bool manual_matches(const struct manual_instruction *i, uint16_t opcode)
{
    for (unsigned bit = 0; bit < 16; bit++) {
        char c = i->pattern[15 - bit];
        if ((c == '0' || c == '1') && BIT_OF(opcode, bit) != (unsigned)(c - '0'))
            return false;
    }
    return true;
}

/* The bits of the opcode where the pattern has the letter, most significant first. */
static inline unsigned manual_field(const struct manual_instruction *i, uint16_t opcode, char letter)
{
    unsigned value = 0;
    for (unsigned at = 0; at < 16; at++)
        if (i->pattern[at] == letter)
            value = value << 1 | BIT_OF(opcode, 15 - at);
    return value;
}

/* The instruction of that opcode, NULL if the manual has none. */
static inline const struct manual_instruction *manual_instruction(uint16_t opcode)
{
    for (unsigned i = 0; i < MANUAL_INSTRUCTIONS; i++)
        if (manual_matches(&manual_instructions[i], opcode))
            return &manual_instructions[i];
    return NULL;
}

static inline struct manual_fields manual_fields(const struct manual_instruction *i, uint16_t opcode)
{
    return (struct manual_fields){
        .d = manual_field(i, opcode, 'd'),
        .r = manual_field(i, opcode, 'r'),
        .K = manual_field(i, opcode, 'K'),
        .q = manual_field(i, opcode, 'q'),
        .A = manual_field(i, opcode, 'A'),
        .b = manual_field(i, opcode, 'b'),
        .s = manual_field(i, opcode, 's'),
        .k = manual_field(i, opcode, 'k'),
    };
}

/* Executes the instruction (found for the word at the PC). */
static inline void manual_execute(struct manual *m, const struct manual_instruction *i, const struct manual_fields *f)
{
    m->cycles += m->pc_bytes == 3 ? i->cycles_22bit : i->cycles;
    manual_jump(m, m->pc + 1);
    i->define(m, f);
}

/* "The result of these combinations is undefined" (LD, ST, LPM, ELPM): a pointer that is changed and used as data. */
static inline bool manual_undefined(const struct manual_instruction *i, const struct manual_fields *f)
{
    size_t length = strlen(i->name);
    if (length < 4 || (strcmp(i->name + length - 4, "_INC") != 0 && strcmp(i->name + length - 4, "_DEC") != 0))
        return false;
    char pointer = length == 8 && i->name[0] != 'E' ? i->name[3] : 'Z'; /* LD_X_INC; LPM_INC, ELPM_INC */
    unsigned low = 26 + 2 * (unsigned)(pointer - 'X'), used = i->name[0] == 'S' ? f->r : f->d;
    return used / 2 == low / 2;
}

#undef BIT_OF
#undef NOT_OF

#endif
