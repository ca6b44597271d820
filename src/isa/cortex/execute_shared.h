/* What all operations share: how flags are kept, what operands are, and how memory is reached.
 *
 * The operations are described once (here and in execute_operations.h) and compiled twice, as those of the other
 * instruction sets: into the loop (execute_loop.h), and as functions of their own, from which hot code is put together
 * (translate/operations_cortex.c). Invariant: what they are written in (LOOK, NEXT, LOAD_SLOWLY and so on) is all that
 * differs between the two; an operation changes no register and no flag before the last of its LOOKs.
 */
#ifndef ISA_CORTEX_EXECUTE_SHARED_H
#define ISA_CORTEX_EXECUTE_SHARED_H

#include <string.h>

#include "isa/cortex/code.h"
#include "isa/cortex/cortex.h"
#include "node/node.h"

enum { EXCEPTION_RETURN_FIRST = 0xf0 /* the highest byte of a value that returns from an exception */ };

/* ---- flags ---- */

/* They are kept apart, each in the form that is cheapest to produce: Z and N as the result in 64 bits with its sign (Z:
 * the low 32 are zero, N: it is negative; where software has set both, it is negative with zeros below), C and V as 0
 * or 1. They become PSR only when it is read. */

static inline uint32_t cortex_flags(int64_t fr, uint32_t fc, uint32_t fv)
{
    return ((uint32_t)((uint64_t)fr >> 32) & CORTEX_N) | ((uint32_t)fr ? 0 : CORTEX_Z) | fc << 29 | fv << 28;
}

#define FLAGS_NOW cortex_flags(fr, fc, fv)
#define NOT_LESS  ((uint32_t)(fr < 0) == fv) /* after a comparison of signed numbers */

static inline bool cortex_holds(unsigned condition, int64_t fr, uint32_t fc, uint32_t fv)
{
    bool z = (uint32_t)fr == 0, holds;
    switch (condition >> 1) {
    case 0: holds = z; break;
    case 1: holds = fc; break;
    case 2: holds = fr < 0; break;
    case 3: holds = fv; break;
    case 4: holds = fc && !z; break;
    case 5: holds = NOT_LESS; break;
    case 6: holds = NOT_LESS && !z; break;
    default: return true;
    }
    return holds != (condition & 1);
}

/* ---- shifts, division ---- */

/* A value shifted by a number, 1 to 32, and the carry it leaves. */
static inline uint32_t cortex_shift(uint32_t v, unsigned kind, unsigned by, uint32_t *carry)
{
    if (__builtin_expect(kind == CORTEX_LSL, 1)) {
        uint64_t up = (uint64_t)v << by;
        *carry = (uint32_t)(up >> 32) & 1;
        return (uint32_t)up;
    }
    switch (kind) {
    case CORTEX_LSR: {
        uint64_t down = ((uint64_t)v << 1) >> by; /* the carry is the bit below the result */
        *carry = (uint32_t)down & 1;
        return (uint32_t)(down >> 1);
    }
    case CORTEX_ASR: {
        int64_t down = ((int64_t)(int32_t)v * 2) >> by;
        *carry = (uint32_t)down & 1;
        return (uint32_t)(down >> 1);
    }
    case CORTEX_ROR: *carry = v >> (by - 1) & 1; return cortex_ror(v, by);
    default: {
        uint32_t in = *carry;
        *carry = v & 1;
        return v >> 1 | in << 31;
    }
    }
}

/* The same by a register, of which the lowest byte counts. */
static inline uint32_t cortex_shift_far(uint32_t v, unsigned kind, unsigned by, uint32_t *carry)
{
    by &= 0xff;
    if (by == 0)
        return v;
    if (kind == CORTEX_ROR) {
        v = cortex_ror(v, by);
        *carry = v >> 31;
        return v;
    }
    if (by <= 32)
        return cortex_shift(v, kind, by, carry);
    *carry = kind == CORTEX_ASR ? v >> 31 : 0;
    return kind == CORTEX_ASR ? (uint32_t)((int32_t)v >> 31) : 0;
}

/* Division takes 2 cycles for short results, up to 12: one for each four bits of the quotient, as Arm's range has it.
 */
enum { CORTEX_LONGEST_DIVISION = 12 };
static inline unsigned cortex_division_cycles(uint32_t n, uint32_t d)
{
    if (d == 0 || n < d)
        return 2;
    unsigned bits = (unsigned)(__builtin_clz(d) - __builtin_clz(n)) + 1, cycles = 3 + bits / 4;
    return cycles > CORTEX_LONGEST_DIVISION ? CORTEX_LONGEST_DIVISION : cycles;
}

/* ---- memory ---- */

static inline uint32_t cortex_word_at(const uint8_t *at)
{
    uint32_t v;
    memcpy(&v, at, 4);
    return v;
}

static inline uint32_t cortex_half_at(const uint8_t *at)
{
    uint16_t v;
    memcpy(&v, at, 2);
    return v;
}

static inline void cortex_put(uint8_t *at, uint32_t value, unsigned size)
{
    uint16_t half = (uint16_t)value;
    if (size == 4)
        memcpy(at, &value, 4);
    else if (size == 2)
        memcpy(at, &half, 2);
    else
        *at = (uint8_t)value;
}

/* Whether so many bytes, up to 64, from an offset in RAM on are plain memory, and words. */
static inline bool cortex_plain_words(const uint8_t *marks, uint32_t span, uint32_t offset, uint32_t size)
{
    if (offset & 3 || offset >= span || size > span - offset || !size)
        return false;
    uint8_t mark = marks[offset >> PAGE_BITS] | marks[(offset + size - 1) >> PAGE_BITS];
    if (size > 1u << PAGE_BITS)
        mark |= marks[(offset + (1u << PAGE_BITS)) >> PAGE_BITS];
    if (size > 2u << PAGE_BITS)
        mark |= marks[(offset + (2u << PAGE_BITS)) >> PAGE_BITS];
    if (size > 3u << PAGE_BITS)
        mark |= marks[(offset + (3u << PAGE_BITS)) >> PAGE_BITS];
    return !mark;
}

#define PLAIN(size)       (o_ < ram_span && !marks[o_ >> PAGE_BITS] && !(a_ & ((size)-1)))
#define IN_FLASH(a, size) ((a) < flash_plain && !((a) & ((size)-1)))
#define FETCH_4(at)       cortex_word_at(at)
#define FETCH_2(at)       cortex_half_at(at)
#define FETCH_1(at)       (*(at))
#define LOAD_HOW(to, address, size, how)              \
    do {                                              \
        uint32_t a_ = (address), o_ = a_ - ram_first; \
        if (__builtin_expect(PLAIN(size), 1))         \
            (to) = FETCH_##size(ram + o_);            \
        else if (IN_FLASH(a_, size))                  \
            (to) = FETCH_##size(memory + a_);         \
        else                                          \
            LOAD_SLOWLY(to, a_, (size) | (how));      \
    } while (0)
#define STORE_HOW(address, stored, size, how)                        \
    do {                                                             \
        uint32_t a_ = (address), s_ = (stored), o_ = a_ - ram_first; \
        if (__builtin_expect(PLAIN(size), 1))                        \
            cortex_put(ram + o_, s_, size);                          \
        else                                                         \
            STORE_SLOWLY(a_, s_, (size) | (how));                    \
    } while (0)
#define WHOLE                       16
#define LOAD(to, address, size)     LOAD_HOW(to, address, size, 0)
#define STORE(address, value, size) STORE_HOW(address, value, size, 0)

/* The stack grows into the variables. */
#define CHECK_STACK(to)                                                             \
    do {                                                                            \
        if (__builtin_expect((to) < stack_limit && R[CORTEX_SP] >= stack_limit, 0)) \
            OVERFLOW_SLOWLY(to);                                                    \
    } while (0)

/* ---- what instructions do ---- */

#define SIGNED(v) ((int64_t)(int32_t)(v))
#define SET_ADD(a, b)                                               \
    do {                                                            \
        uint32_t p_ = (a), q_ = (b);                                \
        int32_t r_;                                                 \
        fv = __builtin_add_overflow((int32_t)p_, (int32_t)q_, &r_); \
        result = (uint32_t)r_;                                      \
        fc = result < p_;                                           \
        fr = r_;                                                    \
    } while (0)
#define SET_SUB(a, b)                                               \
    do {                                                            \
        uint32_t p_ = (a), q_ = (b);                                \
        int32_t r_;                                                 \
        fv = __builtin_sub_overflow((int32_t)p_, (int32_t)q_, &r_); \
        result = (uint32_t)r_;                                      \
        fc = p_ >= q_;                                              \
        fr = r_;                                                    \
    } while (0)
#define SET_CARRYING(a, b)                          \
    do {                                            \
        uint32_t p_ = (a), q_ = (b);                \
        uint64_t r_ = (uint64_t)p_ + q_ + fc;       \
        result = (uint32_t)r_;                      \
        fc = (uint32_t)(r_ >> 32);                  \
        fr = SIGNED(result);                        \
        fv = ((p_ ^ result) & (q_ ^ result)) >> 31; \
    } while (0)
#define SET_ADC(a, b) SET_CARRYING(a, b)
#define SET_SBC(a, b) SET_CARRYING(a, ~(b))
#define SET_RSB(a, b) SET_SUB(b, a)
#define LOGIC(value)         \
    do {                     \
        result = (value);    \
        fr = SIGNED(result); \
        fc = carry;          \
    } while (0)

#define DO_AND(a, b) ((a) & (b))
#define DO_BIC(a, b) ((a) & ~(b))
#define DO_ORR(a, b) ((a) | (b))
#define DO_ORN(a, b) ((a) | ~(b))
#define DO_EOR(a, b) ((a) ^ (b))
#define DO_MOV(a, b) (b)
#define DO_MVN(a, b) (~(b))
#define DO_ADD(a, b) ((a) + (b))
#define DO_ADC(a, b) ((a) + (b) + fc)
#define DO_SUB(a, b) ((a) - (b))
#define DO_SBC(a, b) ((a) - (b) - !fc)
#define DO_RSB(a, b) ((b) - (a))

#define OPERAND_I    (b = ip->imm, carry = LENGTH == 1 || ip->x == CORTEX_CARRY_KEPT ? fc : ip->x)
#define OPERAND_R    (b = R[ip->m], carry = fc)
#define OPERAND_S    (carry = fc, b = cortex_shift(R[ip->m], ip->x, ip->imm, &carry))

#define PLAIN_FORM(name, form, suffix)   \
    OP(name##_##suffix)                  \
    {                                    \
        uint32_t a = R[ip->n], b, carry; \
        OPERAND_##form;                  \
        R[ip->d] = DO_##name(a, b);      \
        (void)a, (void)carry;            \
        NEXT(1);                         \
    }
#define LOGIC_FORM(name, form, suffix)           \
    OP(name##_##suffix)                          \
    {                                            \
        uint32_t a = R[ip->n], b, carry, result; \
        OPERAND_##form;                          \
        LOGIC(DO_##name(a, b));                  \
        R[ip->d] = result;                       \
        (void)a;                                 \
        NEXT(1);                                 \
    }
#define SUM_FORM(name, form, suffix)             \
    OP(name##_##suffix)                          \
    {                                            \
        uint32_t a = R[ip->n], b, carry, result; \
        OPERAND_##form;                          \
        SET_##name(a, b);                        \
        R[ip->d] = result;                       \
        (void)carry;                             \
        NEXT(1);                                 \
    }
#define LOGICS(name)        \
    PLAIN_FORM(name, I, I)  \
    LOGIC_FORM(name, I, IF) \
    PLAIN_FORM(name, R, R) LOGIC_FORM(name, R, RF) PLAIN_FORM(name, S, S) LOGIC_FORM(name, S, SF)
#define SUMS(name)         \
    PLAIN_FORM(name, I, I) \
    SUM_FORM(name, I, IF) PLAIN_FORM(name, R, R) SUM_FORM(name, R, RF) PLAIN_FORM(name, S, S) SUM_FORM(name, S, SF)
#define TEST_TST LOGIC(a &b)
#define TEST_TEQ LOGIC(a ^ b)
#define TEST_CMP SET_SUB(a, b)
#define TEST_CMN SET_ADD(a, b)
#define TEST_FORM(name, form)                    \
    OP(name##_##form)                            \
    {                                            \
        uint32_t a = R[ip->n], b, carry, result; \
        OPERAND_##form;                          \
        TEST_##name;                             \
        (void)carry, (void)result;               \
        NEXT(1);                                 \
    }
#define TESTS(name) TEST_FORM(name, I) TEST_FORM(name, R) TEST_FORM(name, S)

#define SHIFT_FORMS(name)                                                       \
    OP(name##_R)                                                                \
    {                                                                           \
        uint32_t carry = fc;                                                    \
        R[ip->d] = cortex_shift_far(R[ip->n], CORTEX_##name, R[ip->m], &carry); \
        NEXT(1);                                                                \
    }                                                                           \
    OP(name##_RF)                                                               \
    {                                                                           \
        uint32_t carry = fc, v;                                                 \
        v = cortex_shift_far(R[ip->n], CORTEX_##name, R[ip->m], &carry);        \
        fc = carry;                                                             \
        fr = SIGNED(v);                                                         \
        R[ip->d] = v;                                                           \
        NEXT(1);                                                                \
    }
#define SHIFT_NUMBER(name)                                          \
    OP(name##_IF)                                                   \
    {                                                               \
        uint32_t carry = fc, v;                                     \
        v = cortex_shift(R[ip->m], CORTEX_##name, ip->imm, &carry); \
        fc = carry;                                                 \
        fr = SIGNED(v);                                             \
        R[ip->d] = v;                                               \
        NEXT(1);                                                    \
    }

#define LOAD_I(name, size, widen)          \
    OP(name##_I)                           \
    {                                      \
        uint32_t v;                        \
        LOAD(v, R[ip->n] + ip->imm, size); \
        R[ip->d] = widen;                  \
        NEXT(2);                           \
    }
#define LOAD_FORMS(name, size, widen)                        \
    LOAD_I(name, size, widen)                                \
    OP(name##_R)                                             \
    {                                                        \
        uint32_t v;                                          \
        LOAD(v, R[ip->n] + (R[ip->m] << ip->imm), size);     \
        R[ip->d] = widen;                                    \
        NEXT(2);                                             \
    }                                                        \
    OP(name##_W)                                             \
    {                                                        \
        uint32_t v, base = R[ip->n], moved = base + ip->imm; \
        LOAD(v, ip->x &CORTEX_INDEX ? moved : base, size);   \
        R[ip->n] = moved;                                    \
        R[ip->d] = widen;                                    \
        NEXT(2);                                             \
    }
#define STORE_FORMS(name, size)                                    \
    OP(name##_I)                                                   \
    {                                                              \
        STORE(R[ip->n] + ip->imm, R[ip->d], size);                 \
        NEXT(2);                                                   \
    }                                                              \
    OP(name##_R)                                                   \
    {                                                              \
        STORE(R[ip->n] + (R[ip->m] << ip->imm), R[ip->d], size);   \
        NEXT(2);                                                   \
    }                                                              \
    OP(name##_W)                                                   \
    {                                                              \
        uint32_t base = R[ip->n], moved = base + ip->imm;          \
        if (ip->n == CORTEX_SP)                                    \
            CHECK_STACK(moved);                                    \
        STORE(ip->x &CORTEX_INDEX ? moved : base, R[ip->d], size); \
        R[ip->n] = moved;                                          \
        NEXT(2);                                                   \
    }

#define LOAD_LITERAL(name)                             \
    OP(name)                                           \
    {                                                  \
        uint32_t v;                                    \
        if (__builtin_expect(IN_FLASH(ip->imm, 4), 1)) \
            v = cortex_word_at(memory + ip->imm);      \
        else                                           \
            LOAD(v, ip->imm, 4);                       \
        R[ip->d] = v;                                  \
        NEXT(2);                                       \
    }

#define CHANGE(name, expression) \
    OP(name)                     \
    {                            \
        uint32_t v = R[ip->m];   \
        R[ip->d] = (expression); \
        NEXT(1);                 \
    }

#define IF_BEQ  ((uint32_t)fr == 0)
#define IF_BNE  ((uint32_t)fr != 0)
#define IF_BCS  fc
#define IF_BCC  !fc
#define IF_BMI  (fr < 0)
#define IF_BPL  (fr >= 0)
#define IF_BVS  fv
#define IF_BVC  !fv
#define IF_BHI  (fc && (uint32_t)fr)
#define IF_BLS  (!fc || !(uint32_t)fr)
#define IF_BGE  NOT_LESS
#define IF_BLT  !NOT_LESS
#define IF_BGT  (NOT_LESS && (uint32_t)fr)
#define IF_BLE  (!NOT_LESS || !(uint32_t)fr)
#define IF_CBZ  (R[ip->n] == 0)
#define IF_CBNZ (R[ip->n] != 0)
#define BRANCH_IF(name)     \
    OP(name)                \
    {                       \
        if (IF_##name)      \
            GO(ip->imm, 3); \
        NEXT(1);            \
    }

/* A value that is branched to: an exception's return, or one whose bit 0 does not say Thumb, is not for everyone. */
#define IS_ODD_TARGET(v) (((v) >> 24 >= EXCEPTION_RETURN_FIRST && cpu->exception) || !((v)&1))

#endif
