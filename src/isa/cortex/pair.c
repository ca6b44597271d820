#include "isa/cortex/pair.h"

#include <stdbool.h>

#define CORTEX_PAIR_KEY(first, second) ((uint32_t)(first) << 16 | (second))

/* ERASED, which is 0: there is none. */
static unsigned cortex_pair_of(unsigned first, unsigned second)
{
    switch (CORTEX_PAIR_KEY(first, second)) {
#define X(first, first_wide, second, second_wide)                                                                     \
    case CORTEX_PAIR_KEY(CORTEX_##first + CORTEX_WIDE * (first_wide), CORTEX_##second + CORTEX_WIDE * (second_wide)): \
        return CORTEX_##first##first_wide##_##second##second_wide;
        CORTEX_PAIRS(X)
#undef X
    default: return CORTEX_ERASED;
    }
}

/* The operation of its first, with WIDE; ERASED: it is no pair. */
static unsigned cortex_pair_first(unsigned op)
{
    switch (op) {
#define X(first, first_wide, second, second_wide) \
    case CORTEX_##first##first_wide##_##second##second_wide: return CORTEX_##first + CORTEX_WIDE * (first_wide);
        CORTEX_PAIRS(X)
#undef X
    default: return CORTEX_ERASED;
    }
}

unsigned cortex_pair_operation(const struct cortex_insn *i)
{
    unsigned op = __atomic_load_n(&i->op, __ATOMIC_RELAXED) & ~(unsigned)CORTEX_BITS, first = cortex_pair_first(op);
    return first ? first & ~(unsigned)CORTEX_WIDE : op;
}

void cortex_pair_join(struct cortex_code *code, uint32_t first, uint32_t last)
{
    for (uint32_t at = first; at < last; at += 2) {
        struct cortex_insn *i = &code->insn[at / 2];
        unsigned pair = i->op ? cortex_pair_of(i->op, i[i->length].op) : CORTEX_ERASED;
        if (pair)
            i->op = (uint16_t)pair;
    }
}

/* Another thread may add or take away that translated code begins there. */
static void cortex_pair_undo(struct cortex_insn *i)
{
    uint16_t op = __atomic_load_n(&i->op, __ATOMIC_RELAXED), alone;
    do {
        unsigned first = cortex_pair_first(op & ~(unsigned)CORTEX_BITS);
        if (!first)
            return;
        alone = (uint16_t)((op & CORTEX_BITS) | first);
    } while (!__atomic_compare_exchange_n(&i->op, &op, alone, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

void cortex_pair_part(struct cortex_code *code, uint32_t at)
{
    for (uint32_t length = 1; length <= 2 && 2 * length <= at; length++) {
        struct cortex_insn *i = &code->insn[at / 2 - length];
        if (i->length == length)
            cortex_pair_undo(i);
    }
}
