#include "isa/cortex/execute.h"

#include "chip/chip.h"
#include "isa/cortex/exceptions.h"
#include "isa/cortex/execute_shared.h"
#include "isa/cortex/hot.h"
#include "isa/cortex/memory.h"
#include "isa/cortex/mpu.h"
#include "isa/cortex/rare.h"
#include "isa/cortex/trap.h"
#include "isa/slice.h"
#include "node/machine.h"
#include "node/map.h"
#include "node/taps.h"

/* `ip` points into the decoded code, or to `scratch`: one instruction from elsewhere than program memory, or in an IT
 * that no decoded one begins. */

struct looked {
    int64_t left;
    uint64_t value; /* bit 32: the instruction was aborted */
};

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
    const struct cortex_code *code = n->code;
    uint16_t first, second = 0;
    struct cortex_insn i = {.op = CORTEX_OUTSIDE, .length = 1, .it = (uint8_t)it};
    if (cortex_mpu_allows(n, at, 2, CORTEX_MPU_EXECUTE) && cortex_fetch(n, at, &first) &&
        (!cortex_is_wide(first) || cortex_fetch(n, at + 2, &second)))
        i = cortex_decode_on(code, at, first, second, it);
    cortex_settle(&i, at, code->size, true);
    return i;
}

static inline uint32_t cortex_place(const struct cortex_insn *code, const struct cortex_insn *ip)
{
    return __builtin_expect(ip->length, 1) ? ip->at : (uint32_t)(ip - code) * 2;
}

#define HERE  ip->at
#define PLACE cortex_place(code, ip) /* also of erased memory */
#define REFETCH(address, itstate) \
    ((struct cortex_insn){.op = CORTEX_REFETCH, .length = 1, .it = (uint8_t)(itstate), .at = (address)})

/* Flash that is loaded from directly: all, or nothing while something looks or denies. */
#define FLASH_PLAIN() (n->watching || n->code_reads_differ || n->code_guarded ? 0 : code_size)

#define SAVE()                                             \
    do {                                                   \
        R[CORTEX_PC] = PLACE;                              \
        cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | FLAGS_NOW; \
        cpu->it = ip->it;                                  \
    } while (0)
#define RELOAD()                                                                               \
    do {                                                                                       \
        fr = (int64_t)((uint64_t)(cpu->psr & CORTEX_N) << 32 | (cpu->psr & CORTEX_Z ? 0 : 1)); \
        fc = cpu->psr >> 29 & 1;                                                               \
        fv = cpu->psr >> 28 & 1;                                                               \
    } while (0)
#define GLANCE()                                             \
    do {                                                     \
        n->glance.flags[0] = (uint32_t)((uint64_t)fr >> 32); \
        n->glance.flags[1] = (uint32_t)fr;                   \
        n->glance.flags[2] = fc;                             \
        n->glance.flags[3] = fv;                             \
        R[CORTEX_PC] = PLACE;                                \
        cpu->it = ip->it;                                    \
        slice_glance(n, &slice, left);                       \
    } while (0)

void cortex_show(struct node *n)
{
    struct cortex_cpu *cpu = n->cpu;
    const uint32_t *f = n->glance.flags;
    int64_t fr = (int64_t)((uint64_t)f[0] << 32 | f[1]);
    cpu->psr = (cpu->psr & ~CORTEX_FLAGS) | cortex_flags(fr, f[2], f[3]);
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

/* Another thread may be marking code as hot: either value is right. */
#define DISPATCH() goto *operations[__atomic_load_n(&ip->op, __ATOMIC_RELAXED)]
/* `left` is never 0 after an instruction (isa/slice.h), and whether it is negative is a flag of the subtraction. The
 * second of a pair (pair.h) stands after the first. */
#define CHARGE(cycles)                    \
    do {                                  \
        left -= SLICE_CYCLES(cycles) + 1; \
        if (left < 0)                     \
            goto slice_ends;              \
        if (ALONE)                        \
            DISPATCH();                   \
    } while (0)
#define NEXT(cycles)    \
    do {                \
        ip += LENGTH;   \
        CHARGE(cycles); \
    } while (0)
#define NEXT_LONG(cycles)            \
    do {                             \
        unsigned cycles_ = (cycles); \
        NEXT(cycles_);               \
    } while (0)

/* To an address in program memory, which is even, and to a block. */
_Static_assert(sizeof(struct cortex_insn) == 16, "a target is one addition away");
#define GO(target, cycles)                                                          \
    do {                                                                            \
        ip = (const struct cortex_insn *)((const char *)code + (size_t)(target)*8); \
        CHARGE(cycles);                                                             \
    } while (0)
#define GO_IT(entry, cycles) \
    do {                     \
        ip = code + (entry); \
        CHARGE(cycles);      \
    } while (0)

/* To an address that code is fetched from. */
#define ENTER(target)                               \
    do {                                            \
        uint32_t to_ = (target);                    \
        if (__builtin_expect(to_ < code_size, 1)) { \
            ip = code + to_ / 2;                    \
        } else {                                    \
            scratch[0] = REFETCH(to_, 0);           \
            ip = scratch;                           \
        }                                           \
    } while (0)
#define JUMP(target, cycles) \
    do {                     \
        ENTER(target);       \
        CHARGE(cycles);      \
    } while (0)

/* To an address in a register or from memory: bit 0 says that it is Thumb. */
#define REACHES(value)
#define BRANCH_TO(value, cycles)                      \
    do {                                              \
        uint32_t v_ = (value);                        \
        if (__builtin_expect(IS_ODD_TARGET(v_), 0)) { \
            odd = v_;                                 \
            goto odd_branch;                          \
        }                                             \
        JUMP(v_ & ~1u, cycles);                       \
    } while (0)
#define BRANCH_TO_LONG(value, cycles) \
    do {                              \
        unsigned cycles_ = (cycles);  \
        BRANCH_TO(value, cycles_);    \
    } while (0)

/* ---- memory ---- */

#define LOAD_SLOWLY(to, address, how)                                                          \
    do {                                                                                       \
        struct looked l_ = cortex_load_slowly(n, &slice, left, HERE, FLAGS_NOW, address, how); \
        left = l_.left;                                                                        \
        if (__builtin_expect(l_.value >> 32, 0))                                               \
            goto slice_ends;                                                                   \
        (to) = (uint32_t)l_.value;                                                             \
    } while (0)
#define STORE_SLOWLY(address, stored, how)                                                              \
    do {                                                                                                \
        struct looked l_ = cortex_store_slowly(n, &slice, left, HERE, FLAGS_NOW, address, stored, how); \
        left = l_.left;                                                                                 \
        if (__builtin_expect(l_.value >> 32, 0))                                                        \
            goto slice_ends;                                                                            \
    } while (0)
#define OVERFLOW_SLOWLY(to) left = cortex_overflow_slowly(n, &slice, left, HERE, FLAGS_NOW, to)

/* Registers from and to words one after the other, the lowest first. */
#define LOAD_LIST(from, list)                                             \
    for (uint32_t bits_ = (list); bits_; bits_ &= bits_ - 1, (from) += 4) \
    R[__builtin_ctz(bits_)] = cortex_word_at(from)
#define STORE_LIST(to, list)                                            \
    for (uint32_t bits_ = (list); bits_; bits_ &= bits_ - 1, (to) += 4) \
    cortex_put(to, R[__builtin_ctz(bits_)], 4)
#define LOAD_LIST_SLOWLY(at, list, last)                                     \
    do {                                                                     \
        uint32_t loaded_[17], from_ = (at), k_ = 0;                          \
        for (uint32_t bits_ = (list); bits_; bits_ &= bits_ - 1, from_ += 4) \
            LOAD_HOW(loaded_[k_++], from_, 4, WHOLE);                        \
        (last) = (list)&0x8000 ? loaded_[k_ - 1] : 0;                        \
        k_ = 0;                                                              \
        for (uint32_t bits_ = (list)&0x7fff; bits_; bits_ &= bits_ - 1)      \
            R[__builtin_ctz(bits_)] = loaded_[k_++];                         \
    } while (0)
#define STORE_LIST_SLOWLY(at, list)                                                \
    for (uint32_t bits_ = (list), to_ = (at); bits_; bits_ &= bits_ - 1, to_ += 4) \
    STORE_HOW(to_, R[__builtin_ctz(bits_)], 4, WHOLE)

/* ---- what ends an instruction ---- */

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
#define UNDEFINED_HERE(kind, exception, status) \
    NO_GOING_ON(node_fault(n, kind, PLACE, PLACE, ip->imm), exception, status)
#define DIVIDED_BY_ZERO() UNDEFINED_HERE(FAULT_ILLEGAL_OPCODE, CORTEX_USAGE_FAULT, CORTEX_DIVBYZERO)

#define LOOP              cortex_loop
#include "isa/cortex/execute_loop.h"

void cortex_run(struct node *n)
{
    const struct cortex_cpu *cpu = n->cpu;
    uint32_t at = cortex_entry(n->machine->code, cpu->r[CORTEX_PC], cpu->it);
    heat_run(n, at == UINT32_MAX ? HEAT_LOOP : at, cortex_loop);
}
