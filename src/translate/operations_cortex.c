/* The operations of Cortex-M as functions: see operations_avr.c. Each comes twice, the second time for an instruction
 * of an IT, which depends on its condition. An operation changes nothing before it may leave the instruction to the
 * loop, so that there is nothing to undo. */
#include "chip/chip.h"
#include "isa/cortex/execute_shared.h"
#include "isa/cortex/hot.h"
#include "isa/slice.h"
#include "node/machine.h"

/* After the last instruction of an IT, execution is in program memory again. */
static inline uint32_t next_of(const struct cortex_insn *ip, uint32_t here)
{
    bool last = ip->it && !cortex_it_next(ip->it);
    return (last ? ip->at / 2 : here) + ip->length;
}

static inline bool holds(const struct cortex_live *t, const struct cortex_insn *ip)
{
    return cortex_holds(ip->it >> 4, t->fr, t->fc, t->fv);
}

static inline uint32_t pass(struct cortex_live *t, const struct cortex_insn *ip, uint32_t here)
{
    t->left -= SLICE_CYCLES(1) + 1;
    return next_of(ip, here);
}

#define PARAMETERS                                                                                                  \
    struct cortex_live *t, uint32_t *R, struct node *n, const struct cortex_insn *ip, const struct cortex_fixed *f, \
        uint32_t here
#define MORE_PARAMETERS                                                                                      \
    struct cortex_cpu *cpu, uint8_t *ram, const uint8_t *marks, const uint8_t *memory, uint32_t flash_plain, \
        uint32_t ram_first, uint32_t ram_span, uint32_t stack_limit
#define OP(name)                                                                                                  \
    static inline __attribute__((always_inline)) uint32_t do_##name(PARAMETERS, MORE_PARAMETERS);                 \
    uint32_t cortex_##name(PARAMETERS);                                                                           \
    uint32_t cortex_##name(PARAMETERS)                                                                            \
    {                                                                                                             \
        return do_##name(t, R, n, ip, f, here, n->cpu, t->ram, n->page + f->marks, f->memory, t->flash_plain,     \
                         f->ram_first, f->ram_span, f->stack_limit);                                              \
    }                                                                                                             \
    uint32_t cortex_if_##name(PARAMETERS);                                                                        \
    uint32_t cortex_if_##name(PARAMETERS)                                                                         \
    {                                                                                                             \
        if (holds(t, ip))                                                                                         \
            return do_##name(t, R, n, ip, f, here, n->cpu, t->ram, n->page + f->marks, f->memory, t->flash_plain, \
                             f->ram_first, f->ram_span, f->stack_limit);                                          \
        return pass(t, ip, here);                                                                                 \
    }                                                                                                             \
    static inline uint32_t do_##name(PARAMETERS, MORE_PARAMETERS)

#define left   (t->left)
#define fr     (t->fr)
#define fc     (t->fc)
#define fv     (t->fv)

#define LENGTH ip->length
#define HERE   (here < f->size / 2 + 2 ? 2 * here : ip->at)
#define TO(where, cycles)                 \
    do {                                  \
        left -= SLICE_CYCLES(cycles) + 1; \
        return (where);                   \
    } while (0)
#define SHORT(cycles)                 _Static_assert((cycles) <= CORTEX_LONGEST, "or slices end within translated code")
#define NEXT_LONG(cycles)             TO(next_of(ip, here), cycles)
#define BRANCH_TO_LONG(value, cycles) TO((value) >> 1, cycles)
#define NEXT(cycles)       \
    do {                   \
        SHORT(cycles);     \
        NEXT_LONG(cycles); \
    } while (0)
#define BRANCH_TO(value, cycles)       \
    do {                               \
        SHORT(cycles);                 \
        BRANCH_TO_LONG(value, cycles); \
    } while (0)
#define GO(target, cycles)   BRANCH_TO(target, cycles)
#define JUMP(target, cycles) BRANCH_TO(target, cycles)
#define GO_IT(entry, cycles) TO(entry, cycles)

#define LOOP_ALONE()         return here | HEAT_LOOP
#define REACHES(value)                                          \
    do {                                                        \
        if (IS_ODD_TARGET(value) || ((value) & ~1u) >= f->size) \
            LOOP_ALONE();                                       \
    } while (0)
#define LOAD_SLOWLY(to, address, how)      LOOP_ALONE()
#define STORE_SLOWLY(address, stored, how) LOOP_ALONE()
#define OVERFLOW_SLOWLY(to)                LOOP_ALONE()
#define LOAD_LIST_SLOWLY(at, list, last)   LOOP_ALONE()
#define STORE_LIST_SLOWLY(at, list)        LOOP_ALONE()
#define DIVIDED_BY_ZERO()                  LOOP_ALONE()

/* The list is a constant, and so what remains of these are the registers in it. */
#define EACH(X)         X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#define BEFORE(list, k) (4 * __builtin_popcount((list) & ((1u << (k)) - 1)))
#define LOAD_LIST(from, given)          \
    do {                                \
        const uint32_t list_ = (given); \
        const uint8_t *from_ = (from);  \
        EACH(LOAD_ONE)                  \
    } while (0)
#define LOAD_ONE(k)        \
    if (list_ & 1u << (k)) \
        R[k] = cortex_word_at(from_ + BEFORE(list_, k));
#define STORE_LIST(to, given)           \
    do {                                \
        const uint32_t list_ = (given); \
        uint8_t *to_ = (to);            \
        EACH(STORE_ONE)                 \
    } while (0)
#define STORE_ONE(k)       \
    if (list_ & 1u << (k)) \
        cortex_put(to_ + BEFORE(list_, k), R[k], 4);

#include "isa/cortex/execute_operations.h"
