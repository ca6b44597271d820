/* Decoded Thumb code: one entry a halfword, immutable and shared by every node with the same firmware.
 *
 * Instructions of two and of four bytes that do the same have one operation. What is rare (DSP, floating point, special
 * registers) is RARE, FLOAT or SYSTEM, which take the opcode apart when they run. Invariant: code->insn[a / 2] is valid
 * for every address a of program memory, for any contents of it.
 *
 * IT. The instructions after one depend on a condition, and those of two bytes do not set flags there. So an IT has a
 * copy of its own of what follows it, decoded for that: a block, which lies behind the entries of program memory.
 * Execution goes into the block and leaves it at its end. Whether an instruction belongs to an IT cannot be seen at its
 * address, since an IT may also be half of another instruction.
 *
 * The number of an entry (in program memory: half the address) is what translation to host code (isa/heat.h) calls an
 * address. It marks entries that begin translated code; that is all that ever changes in shared code.
 */
#ifndef ISA_CORTEX_CODE_H
#define ISA_CORTEX_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Data processing with an immediate number, a register, a shifted register (S); F: sets flags. */
#define CORTEX_FORMS(F, name) F(name##_I) F(name##_IF) F(name##_R) F(name##_RF) F(name##_S) F(name##_SF)
#define CORTEX_TESTS(F, name) F(name##_I) F(name##_R) F(name##_S)

/* Loads and stores: register plus number, register plus shifted register, with write-back. */
#define CORTEX_MEMORY(F, name) F(name##_I) F(name##_R) F(name##_W)

/* clang-format off */
#define CORTEX_OPERATIONS(F)                                                                                   \
    F(ERASED) F(UNDEFINED) F(DATA) F(OUTSIDE) F(REFETCH) F(REJOIN)                                             \
    CORTEX_FORMS(F, AND) CORTEX_FORMS(F, BIC) CORTEX_FORMS(F, ORR) CORTEX_FORMS(F, ORN) CORTEX_FORMS(F, EOR)   \
    CORTEX_FORMS(F, ADD) CORTEX_FORMS(F, ADC) CORTEX_FORMS(F, SUB) CORTEX_FORMS(F, SBC) CORTEX_FORMS(F, RSB)   \
    CORTEX_FORMS(F, MOV) CORTEX_FORMS(F, MVN)                                                                  \
    CORTEX_TESTS(F, TST) CORTEX_TESTS(F, TEQ) CORTEX_TESTS(F, CMP) CORTEX_TESTS(F, CMN)                        \
    F(LSL_R) F(LSL_RF) F(LSR_R) F(LSR_RF) F(ASR_R) F(ASR_RF) F(ROR_R) F(ROR_RF)                                \
    F(LSL_IF) F(LSR_IF) F(ASR_IF)                                                                              \
    F(MOVT) F(MUL) F(MUL_F) F(MLA) F(MLS) F(UMULL) F(SMULL) F(UMLAL) F(SMLAL) F(UDIV) F(SDIV)                  \
    F(SXTB) F(SXTH) F(UXTB) F(UXTH) F(REV) F(REV16) F(REVSH) F(RBIT) F(CLZ) F(BFI) F(BFC) F(SBFX) F(UBFX)      \
    CORTEX_MEMORY(F, LDR) CORTEX_MEMORY(F, LDRB) CORTEX_MEMORY(F, LDRH) CORTEX_MEMORY(F, LDRSB)                \
    CORTEX_MEMORY(F, LDRSH) CORTEX_MEMORY(F, STR) CORTEX_MEMORY(F, STRB) CORTEX_MEMORY(F, STRH)                \
    F(LDR_L) F(LDRX_L) F(LDR_PC) F(LDRD) F(STRD) F(LDM) F(STM) F(LDREX) F(STREX) F(TBB) F(TBH) F(FRAME)        \
    F(BEQ) F(BNE) F(BCS) F(BCC) F(BMI) F(BPL) F(BVS) F(BVC) F(BHI) F(BLS) F(BGE) F(BLT) F(BGT) F(BLE)          \
    F(B) F(B_SELF) F(BL) F(BX) F(BLX) F(MOV_PC) F(ADD_PC) F(GET_PC) F(PLUS_PC) F(CBZ) F(CBNZ)                  \
    F(NOP) F(IT) F(SVC) F(BKPT) F(WFI) F(WFE) F(SEV) F(SYSTEM) F(RARE) F(FLOAT)                                \
    F(B_FAR) F(BL_FAR) F(CBZ_FAR) F(CBNZ_FAR) F(IT_FAR)

/* Two instructions that often follow each other (pair.h), each with 1 if it has four bytes. */
#define CORTEX_COMPARED(F, first)                                                                              \
    F(first, 0, BEQ, 0) F(first, 0, BNE, 0) F(first, 0, BCS, 0) F(first, 0, BCC, 0) F(first, 0, BHI, 0)        \
    F(first, 0, BLS, 0) F(first, 0, BGE, 0) F(first, 0, BLT, 0) F(first, 0, BGT, 0) F(first, 0, BLE, 0)
#define CORTEX_PAIRS(F)                                                                                        \
    CORTEX_COMPARED(F, CMP_I) CORTEX_COMPARED(F, CMP_R) F(CMP_I, 1, BEQ, 0) F(CMP_I, 1, BNE, 0)                \
    F(SUB_IF, 0, BNE, 0) F(AND_IF, 1, BEQ, 0) F(AND_IF, 1, BNE, 0) F(SUB_IF, 0, AND_IF, 1)                     \
    F(LSR_IF, 0, CBZ, 0) F(EOR_RF, 0, UXTH, 0) F(ADD_IF, 0, UXTH, 0) F(ADD_IF, 0, UXTB, 0)                     \
    F(MOV_R, 0, ADD_I, 1) F(MOV_R, 0, SUB_I, 1) F(LDRB_I, 0, CMP_I, 0) F(LDRB_I, 0, CBZ, 0)                    \
    F(LDRH_I, 0, CMP_R, 0) F(LDRSH_I, 1, CMP_R, 0) F(LDR_L, 0, LDR_I, 0) F(LDR_L, 0, LDRB_I, 0)
/* clang-format on */

enum cortex_operation {
#define X(name) CORTEX_##name,
    CORTEX_OPERATIONS(X)
#undef X
#define X(first, first_wide, second, second_wide) CORTEX_##first##first_wide##_##second##second_wide,
        CORTEX_PAIRS(X)
#undef X
            CORTEX_OPERATION_COUNT
};

/* Added to an operation: that of an instruction of four bytes; where a mark lies (node/taps.h), in a node's own code
 * only; to an instruction of an IT; to the first instruction of a function that is called to trap, and to a branch to
 * UDF #255; where translated code begins (isa/heat.h), in shared code only and beside no mark and no trap; to one that
 * has PC as an operand where the architecture allows none (it reads the address plus 4). */
enum {
    CORTEX_WIDE = 0x100,
    CORTEX_MARK = 0x200,
    CORTEX_CONDITIONAL = 0x400,
    CORTEX_TRAP = 0x800,
    CORTEX_HOT = 0x1000,
    CORTEX_READS_PC = 0x2000,
    CORTEX_BITS = 0x3f00
};

/* How LDR_PC, LDRD and STRD find their address: the bits of x. A literal has its address in imm. */
enum { CORTEX_INDEX = 1, CORTEX_WRITE_BACK = 2, CORTEX_SHIFTED = 4, CORTEX_LITERAL = 8 };

enum cortex_shift { CORTEX_LSL, CORTEX_LSR, CORTEX_ASR, CORTEX_ROR, CORTEX_RRX };

/* The targets of branches lie in program memory. Those that do not are FAR, as is an IT without a block: B_FAR has its
 * condition in x. */
struct cortex_insn {
    uint16_t op;
    uint8_t d, n, m; /* of LDM and STM, m is how many registers */
    uint8_t x;       /* kind of shift; size; bits above; how imm changes the carry: 0, 1, CORTEX_CARRY_KEPT */
    uint8_t length;  /* halfwords */
    uint8_t it;      /* in an IT: ITSTATE before it */
    uint32_t imm;    /* number, offset, target, amount of a shift, list of registers; opcode of what is rare; of an IT,
                      * the number of its block's first entry */
    uint32_t at;     /* its address; of ERASED, all of which is 0, only its place says it */
};

enum { CORTEX_CARRY_KEPT = 2 };

/* What follows an IT, by halfword, and REJOIN after it. */
enum { CORTEX_BLOCK = 9 };

struct cortex_code {
    const uint8_t *memory; /* flash as bytes, by address */
    uint32_t size;         /* bytes of it */
    bool baseline;         /* struct cortex_core */
    uint32_t count, room;  /* entries: of program memory, two past its end, and blocks */
    struct cortex_insn *insn;
};

/* One instruction of one or two halfwords, at an address, with ITSTATE before it. What it reads beyond two halfwords is
 * nothing. */
struct cortex_insn cortex_decode(uint32_t at, uint16_t first, uint16_t second, unsigned it);

/* The same, as the core executes it that the code is for: one of ARMv6-M has fewer instructions. */
struct cortex_insn cortex_decode_on(const struct cortex_code *code, uint32_t at, uint16_t first, uint16_t second,
                                    unsigned it);

/* Makes it an entry for execution, where program memory has so many bytes. `alone`: it is no part of decoded code. */
void cortex_settle(struct cortex_insn *i, uint32_t at, uint32_t size, bool alone);

/* The number of the entry that the address and ITSTATE belong to; UINT32_MAX: there is none. */
uint32_t cortex_entry(const struct cortex_code *code, uint32_t pc, unsigned it);

/* Of the 32-bit instructions (decode_wide.c). */
void cortex_decode_wide(struct cortex_insn *i, uint32_t at, uint32_t opcode, bool in_it);

static inline bool cortex_is_wide(uint16_t first)
{
    return first >= 0xe800;
}

/* ITSTATE after an instruction. */
static inline unsigned cortex_it_next(unsigned it)
{
    return it & 7 ? (it & 0xe0) | (it << 1 & 0x1f) : 0;
}

static inline uint32_t cortex_ror(uint32_t v, unsigned by)
{
    by &= 31;
    return by ? v >> by | v << (32 - by) : v;
}

#endif
