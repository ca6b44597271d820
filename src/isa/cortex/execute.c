#include "isa/cortex/execute.h"

#include <string.h>

#include "chip/chip.h"
#include "isa/cortex/code.h"
#include "isa/cortex/cortex.h"
#include "isa/cortex/exceptions.h"
#include "isa/cortex/memory.h"
#include "isa/cortex/mpu.h"
#include "isa/cortex/rare.h"
#include "isa/cortex/trap.h"
#include "isa/slice.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/taps.h"

/* The flags are kept apart: N as bit 31 of fn, Z as fz being zero, C as 0 or 1, V as bit 31 of fv.
 *
 * `window` is the decoded code that `ip` points into, and `origin` the address of its first entry: all of program
 * memory, what follows an IT, or one instruction from elsewhere. */

struct looked {
    int64_t left;
    uint64_t value; /* bit 32: the instruction was aborted */
};

enum { EXCEPTION_RETURN_FIRST = 0xf0 /* the highest byte of a value that returns from an exception */ };

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

static inline uint32_t cortex_flags(uint32_t fn, uint32_t fz, uint32_t fc, uint32_t fv)
{
    return (fn & CORTEX_N) | (fz ? 0 : CORTEX_Z) | fc << 29 | (fv >> 31) << 28;
}

/* A value shifted by a number, 1 to 32, and the carry it leaves. */
static inline uint32_t cortex_shift(uint32_t v, unsigned kind, unsigned by, uint32_t *carry)
{
    switch (kind) {
    case CORTEX_LSL: *carry = v >> (32 - by) & 1; return by < 32 ? v << by : 0;
    case CORTEX_LSR: *carry = v >> (by - 1) & 1; return by < 32 ? v >> by : 0;
    case CORTEX_ASR:
        *carry = (uint32_t)((int32_t)v >> (by - 1)) & 1;
        return (uint32_t)((int32_t)v >> (by < 32 ? by : 31));
    case CORTEX_ROR: *carry = v >> (by - 1) & 1; return cortex_ror(v, by);
    default: {
        uint32_t in = *carry;
        *carry = v & 1;
        return v >> 1 | in << 31;
    }
    }
}

/* The same by a register, of which the lowest byte counts. */
static uint32_t cortex_shift_far(uint32_t v, unsigned kind, unsigned by, uint32_t *carry)
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

static inline bool cortex_holds(unsigned condition, uint32_t fn, uint32_t fz, uint32_t fc, uint32_t fv)
{
    bool n = fn >> 31, z = !fz, v = fv >> 31, holds;
    switch (condition >> 1) {
    case 0: holds = z; break;
    case 1: holds = fc; break;
    case 2: holds = n; break;
    case 3: holds = v; break;
    case 4: holds = fc && !z; break;
    case 5: holds = n == v; break;
    case 6: holds = n == v && !z; break;
    default: return true;
    }
    return holds != (condition & 1);
}

/* The CPU loops at `pc` and accepts no interrupt. */
static void cortex_end_for_good(struct node *n, uint32_t pc)
{
    const struct cortex_cpu *cpu = n->cpu;
    if (node_watchdog_runs(n))
        return;
    if (pc == n->machine->exit_address)
        node_halt(n, NODE_EXIT_FIRMWARE, (uint8_t)cpu->r[0]);
    else
        node_halt(n, NODE_EXIT_HALT, 0);
}

/* Division takes 2 cycles for short results, up to 12: one for each four bits of the quotient, as Arm's range has it.
 */
static unsigned cortex_division_cycles(uint32_t n, uint32_t d)
{
    if (d == 0 || n < d)
        return 2;
    unsigned bits = (unsigned)(__builtin_clz(d) - __builtin_clz(n)) + 1, cycles = 3 + bits / 4;
    return cycles > 12 ? 12 : cycles;
}

/* ---- the slow way to memory ---- */

#define SLOW static __attribute__((noinline, cold))

static void cortex_look(struct node *n, struct slice *s, int64_t left, uint32_t pc, uint32_t flags)
{
    struct cortex_cpu *cpu = n->cpu;
    cpu->r[CORTEX_PC] = pc;
    cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | flags;
    slice_look(n, s, left, 1);
}

static int64_t cortex_looked(const struct node *n, struct slice *s, int64_t left)
{
    return n->cut ? slice_shorten(s, left, 0) : left;
}

SLOW struct looked cortex_load_slowly(struct node *n, struct slice *s, int64_t left, uint32_t pc, uint32_t flags,
                                      uint32_t address, unsigned how)
{
    struct cortex_cpu *cpu = n->cpu;
    cortex_look(n, s, left, pc, flags);
    uint64_t value = cortex_load(n, pc, address, how & 15, how & 16);
    value |= (uint64_t)cpu->aborted << 32;
    cpu->aborted = 0;
    return (struct looked){cortex_looked(n, s, left), value};
}

SLOW struct looked cortex_store_slowly(struct node *n, struct slice *s, int64_t left, uint32_t pc, uint32_t flags,
                                       uint32_t address, uint32_t value, unsigned how)
{
    struct cortex_cpu *cpu = n->cpu;
    cortex_look(n, s, left, pc, flags);
    cortex_store(n, pc, address, value, how & 15, how & 16);
    uint64_t aborted = (uint64_t)cpu->aborted << 32;
    cpu->aborted = 0;
    return (struct looked){cortex_looked(n, s, left), aborted};
}

SLOW int64_t cortex_overflow_slowly(struct node *n, struct slice *s, int64_t left, uint32_t pc, uint32_t flags,
                                    uint32_t sp)
{
    cortex_look(n, s, left, pc, flags);
    cortex_stack_overflows(n, pc, sp);
    return cortex_looked(n, s, left);
}

/* One instruction from elsewhere than program memory; or in an IT that no decoded one begins. */
SLOW struct cortex_insn cortex_refetch(const struct node *n, uint32_t at, unsigned it)
{
    uint16_t first, second = 0;
    if (!cortex_mpu_allows(n, at, 2, CORTEX_MPU_EXECUTE) || !cortex_fetch(n, at, &first) ||
        (cortex_is_wide(first) && !cortex_fetch(n, at + 2, &second)))
        return (struct cortex_insn){.op = CORTEX_OUTSIDE, .length = 1, .it = (uint8_t)it};
    struct cortex_insn i = cortex_decode(at, first, second, it);
    if ((i.op & ~CORTEX_BITS) == CORTEX_IT)
        i.x = (uint8_t)i.imm;
    return i;
}

/* The copy of the code after an IT that the address and ITSTATE belong to; NULL: there is none. */
static const struct cortex_block *cortex_block_at(const struct cortex_code *code, uint32_t pc, unsigned it)
{
    for (uint32_t back = 2; back <= 2 * (CORTEX_BLOCK - 1) && back <= pc; back += 2) {
        const struct cortex_insn *i = &code->insn[(pc - back) / 2];
        if ((i->op & ~CORTEX_BITS) != CORTEX_IT)
            continue;
        const struct cortex_block *b = &code->blocks[i->imm];
        if (b->insn[back / 2 - 1].it == it && (b->insn[back / 2 - 1].op & ~CORTEX_BITS) != CORTEX_REJOIN)
            return b;
    }
    return NULL;
}

#define HERE      (origin + (uint32_t)(ip - window) * 2)
#define FLAGS_NOW cortex_flags(fn, fz, fc, fv)

#define SAVE()                                             \
    do {                                                   \
        R[CORTEX_PC] = HERE;                               \
        cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | FLAGS_NOW; \
        cpu->it = ip->it;                                  \
    } while (0)
#define RELOAD()                   \
    do {                           \
        fn = cpu->psr & CORTEX_N;  \
        fz = ~cpu->psr & CORTEX_Z; \
        fc = cpu->psr >> 29 & 1;   \
        fv = cpu->psr << 3;        \
    } while (0)
#define GLANCE()                       \
    do {                               \
        n->glance.flags[0] = fn;       \
        n->glance.flags[1] = fz;       \
        n->glance.flags[2] = fc;       \
        n->glance.flags[3] = fv;       \
        R[CORTEX_PC] = HERE;           \
        cpu->it = ip->it;              \
        slice_glance(n, &slice, left); \
    } while (0)

void cortex_show(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    const uint32_t *f = n->glance.flags;
    cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | cortex_flags(f[0], f[1], f[2], f[3]);
    slice_show_glance(n);
}

#define LOOK(offset)                         \
    do {                                     \
        SAVE();                              \
        slice_look(n, &slice, left, offset); \
    } while (0)
#define LOOKED()                                   \
    do {                                           \
        if (n->cut)                                \
            left = slice_shorten(&slice, left, 0); \
    } while (0)

#define DISPATCH() goto *operations[ip->op]
#define CHARGE(cycles)                    \
    do {                                  \
        left -= SLICE_CYCLES(cycles) + 1; \
        if (left <= 0)                    \
            goto slice_ends;              \
        DISPATCH();                       \
    } while (0)
#define NEXT(halfwords, cycles) \
    do {                        \
        ip += (halfwords);      \
        CHARGE(cycles);         \
    } while (0)
#define NEXT_ONE(cycles) NEXT(ip->length, cycles)

/* To an address that code is fetched from. */
#define ENTER(target)                                                             \
    do {                                                                          \
        uint32_t to_ = (target);                                                  \
        if (__builtin_expect(to_ < code_size, 1)) {                               \
            window = code;                                                        \
            origin = 0;                                                           \
            ip = code + to_ / 2;                                                  \
        } else {                                                                  \
            scratch[0] = (struct cortex_insn){.op = CORTEX_REFETCH, .length = 1}; \
            window = ip = scratch;                                                \
            origin = to_;                                                         \
        }                                                                         \
    } while (0)
#define JUMP(target, cycles) \
    do {                     \
        ENTER(target);       \
        CHARGE(cycles);      \
    } while (0)

/* To an address in a register or from memory: bit 0 says that it is Thumb. */
#define BRANCH_TO(value, cycles)                                                                        \
    do {                                                                                                \
        uint32_t v_ = (value);                                                                          \
        if (__builtin_expect((v_ >> 24 >= EXCEPTION_RETURN_FIRST && cpu->exception) || !(v_ & 1), 0)) { \
            target = v_;                                                                                \
            spent = (cycles);                                                                           \
            goto odd_branch;                                                                            \
        }                                                                                               \
        JUMP(v_ & ~1u, cycles);                                                                         \
    } while (0)

/* ---- memory ---- */

#define PLAIN(size)    (a_ - ram_first < ram_span && !marks[(a_ - ram_first) >> PAGE_BITS] && !(a_ & ((size)-1)))
#define IN_FLASH(size) (a_ < flash_plain && !(a_ & ((size)-1)))
#define FETCH_4(at)    cortex_word_at(at)
#define FETCH_2(at)    cortex_half_at(at)
#define FETCH_1(at)    (*(at))
#define LOAD_HOW(to, address, size, how)                                                                 \
    do {                                                                                                 \
        uint32_t a_ = (address);                                                                         \
        if (__builtin_expect(PLAIN(size), 1)) {                                                          \
            (to) = FETCH_##size(ram + (a_ - ram_first));                                                 \
        } else if (IN_FLASH(size)) {                                                                     \
            (to) = FETCH_##size(memory + a_);                                                            \
        } else {                                                                                         \
            struct looked l_ = cortex_load_slowly(n, &slice, left, HERE, FLAGS_NOW, a_, (size) | (how)); \
            left = l_.left;                                                                              \
            if (__builtin_expect(l_.value >> 32, 0))                                                     \
                goto slice_ends;                                                                         \
            (to) = (uint32_t)l_.value;                                                                   \
        }                                                                                                \
    } while (0)
#define STORE_HOW(address, stored, size, how)                                                                 \
    do {                                                                                                      \
        uint32_t a_ = (address), s_ = (stored);                                                               \
        if (__builtin_expect(PLAIN(size), 1)) {                                                               \
            cortex_put(ram + (a_ - ram_first), s_, size);                                                     \
        } else {                                                                                              \
            struct looked l_ = cortex_store_slowly(n, &slice, left, HERE, FLAGS_NOW, a_, s_, (size) | (how)); \
            left = l_.left;                                                                                   \
            if (__builtin_expect(l_.value >> 32, 0))                                                          \
                goto slice_ends;                                                                              \
        }                                                                                                     \
    } while (0)
#define WHOLE                       16
#define LOAD(to, address, size)     LOAD_HOW(to, address, size, 0)
#define STORE(address, value, size) STORE_HOW(address, value, size, 0)

/* The stack grows into the variables. */
#define CHECK_STACK(to)                                                             \
    do {                                                                            \
        if (__builtin_expect((to) < stack_limit && R[CORTEX_SP] >= stack_limit, 0)) \
            left = cortex_overflow_slowly(n, &slice, left, HERE, FLAGS_NOW, (to));  \
    } while (0)

/* ---- what instructions do ---- */

#define SUM(a, b, carry)                           \
    do {                                           \
        uint32_t p_ = (a), q_ = (b);               \
        uint64_t r_ = (uint64_t)p_ + q_ + (carry); \
        result = (uint32_t)r_;                     \
        fc = (uint32_t)(r_ >> 32);                 \
        fv = (p_ ^ result) & (q_ ^ result);        \
        fn = fz = result;                          \
    } while (0)
#define LOGIC(value)      \
    do {                  \
        result = (value); \
        fn = fz = result; \
        fc = carry;       \
    } while (0)

#define DO_AND(a, b)  ((a) & (b))
#define DO_BIC(a, b)  ((a) & ~(b))
#define DO_ORR(a, b)  ((a) | (b))
#define DO_ORN(a, b)  ((a) | ~(b))
#define DO_EOR(a, b)  ((a) ^ (b))
#define DO_MOV(a, b)  (b)
#define DO_MVN(a, b)  (~(b))
#define DO_ADD(a, b)  ((a) + (b))
#define DO_ADC(a, b)  ((a) + (b) + fc)
#define DO_SUB(a, b)  ((a) - (b))
#define DO_SBC(a, b)  ((a) - (b) - !fc)
#define DO_RSB(a, b)  ((b) - (a))
#define SET_ADD(a, b) SUM(a, b, 0)
#define SET_ADC(a, b) SUM(a, b, fc)
#define SET_SUB(a, b) SUM(a, ~(b), 1)
#define SET_SBC(a, b) SUM(a, ~(b), fc)
#define SET_RSB(a, b) SUM(b, ~(a), 1)

#define OPERAND_I     (b = ip->imm, carry = ip->x == CORTEX_CARRY_KEPT ? fc : ip->x)
#define OPERAND_R     (b = R[ip->m], carry = fc)
#define OPERAND_S     (carry = fc, b = cortex_shift(R[ip->m], ip->x, ip->imm, &carry))

#define PLAIN_FORM(name, form, suffix)   \
    op_##name##_##suffix:                \
    {                                    \
        uint32_t a = R[ip->n], b, carry; \
        OPERAND_##form;                  \
        R[ip->d] = DO_##name(a, b);      \
        (void)a, (void)carry;            \
        NEXT_ONE(1);                     \
    }
#define LOGIC_FORM(name, form, suffix)           \
    op_##name##_##suffix:                        \
    {                                            \
        uint32_t a = R[ip->n], b, carry, result; \
        OPERAND_##form;                          \
        LOGIC(DO_##name(a, b));                  \
        R[ip->d] = result;                       \
        (void)a;                                 \
        NEXT_ONE(1);                             \
    }
#define SUM_FORM(name, form, suffix)             \
    op_##name##_##suffix:                        \
    {                                            \
        uint32_t a = R[ip->n], b, carry, result; \
        OPERAND_##form;                          \
        SET_##name(a, b);                        \
        R[ip->d] = result;                       \
        (void)carry;                             \
        NEXT_ONE(1);                             \
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
#define TEST_CMP SUM(a, ~b, 1)
#define TEST_CMN SUM(a, b, 0)
#define TEST_FORM(name, form)                    \
    op_##name##_##form:                          \
    {                                            \
        uint32_t a = R[ip->n], b, carry, result; \
        OPERAND_##form;                          \
        TEST_##name;                             \
        (void)carry, (void)result;               \
        NEXT_ONE(1);                             \
    }
#define TESTS(name) TEST_FORM(name, I) TEST_FORM(name, R) TEST_FORM(name, S)

#define SHIFT_FORMS(name)                                                       \
    op_##name##_R:                                                              \
    {                                                                           \
        uint32_t carry = fc;                                                    \
        R[ip->d] = cortex_shift_far(R[ip->n], CORTEX_##name, R[ip->m], &carry); \
        NEXT_ONE(1);                                                            \
    }                                                                           \
    op_##name##_RF:                                                             \
    {                                                                           \
        uint32_t v = cortex_shift_far(R[ip->n], CORTEX_##name, R[ip->m], &fc);  \
        R[ip->d] = fn = fz = v;                                                 \
        NEXT_ONE(1);                                                            \
    }

#define LOAD_FORMS(name, size, widen)                        \
    op_##name##_I:                                           \
    {                                                        \
        uint32_t v;                                          \
        LOAD(v, R[ip->n] + ip->imm, size);                   \
        R[ip->d] = widen;                                    \
        NEXT_ONE(2);                                         \
    }                                                        \
    op_##name##_R:                                           \
    {                                                        \
        uint32_t v;                                          \
        LOAD(v, R[ip->n] + (R[ip->m] << ip->imm), size);     \
        R[ip->d] = widen;                                    \
        NEXT_ONE(2);                                         \
    }                                                        \
    op_##name##_W:                                           \
    {                                                        \
        uint32_t v, base = R[ip->n], moved = base + ip->imm; \
        LOAD(v, ip->x &CORTEX_INDEX ? moved : base, size);   \
        R[ip->n] = moved;                                    \
        R[ip->d] = widen;                                    \
        NEXT_ONE(2);                                         \
    }
#define STORE_FORMS(name, size)                                              \
    op_##name##_I : STORE(R[ip->n] + ip->imm, R[ip->d], size);               \
    NEXT_ONE(2);                                                             \
    op_##name##_R : STORE(R[ip->n] + (R[ip->m] << ip->imm), R[ip->d], size); \
    NEXT_ONE(2);                                                             \
    op_##name##_W:                                                           \
    {                                                                        \
        uint32_t base = R[ip->n], moved = base + ip->imm;                    \
        if (ip->n == CORTEX_SP)                                              \
            CHECK_STACK(moved);                                              \
        STORE(ip->x &CORTEX_INDEX ? moved : base, R[ip->d], size);           \
        R[ip->n] = moved;                                                    \
        NEXT_ONE(2);                                                         \
    }

#define BRANCH_IF(name, condition)               \
    op_##name : if (condition) JUMP(ip->imm, 3); \
    NEXT_ONE(1);

/* `stops` reports it, and says whether the run ends here. */
#define NO_GOING_ON(stops, exception, status)             \
    do {                                                  \
        LOOK(0);                                          \
        if (!(stops))                                     \
            cortex_exception_fault(n, exception, status); \
        cpu->aborted = 0;                                 \
        LOOKED();                                         \
        goto slice_ends;                                  \
    } while (0)
#define UNDEFINED_HERE(kind, exception, status) NO_GOING_ON(node_fault(n, kind, HERE, HERE, ip->imm), exception, status)

#define LOOP                                    cortex_loop
#include "isa/cortex/execute_loop.h"

void cortex_run(struct node *n)
{
    cortex_loop(n);
}
