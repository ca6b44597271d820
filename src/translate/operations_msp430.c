/* The operations of the MSP430 as functions: see operations_avr.c. */
#include "chip/chip.h"
#include "isa/msp430/execute.h"
#include "isa/msp430/execute_shared.h"
#include "isa/msp430/generic.h"
#include "isa/msp430/hot.h"
#include "isa/slice.h"
#include "node/machine.h"

/* What an operation may have changed when it leaves the instruction to the loop: the register of an operand that moves,
 * the stack pointer, flags. */
struct before {
    uint16_t s, sp;
    uint32_t fc, fr, fv;
};

static inline struct before before_of(const struct msp430_live *t, const uint16_t *R, const struct msp430_insn *ip)
{
    return (struct before){R[ip->s], R[MSP430_SP], t->fc, t->fr, t->fv};
}

static inline void undo(struct msp430_live *t, uint16_t *R, const struct msp430_insn *ip, const struct before *b)
{
    R[ip->s] = b->s;
    R[MSP430_SP] = b->sp;
    t->fc = b->fc;
    t->fr = b->fr;
    t->fv = b->fv;
}

#define PARAMETERS                                                                                                  \
    struct msp430_live *t, uint16_t *R, struct node *n, const struct msp430_insn *ip, const struct msp430_fixed *f, \
        uint32_t here, uint8_t *data, struct msp430_cpu *cpu, uint32_t stack_low, uint32_t stack_span,              \
        struct before before
#define OP(name)                                                                                                   \
    static inline __attribute__((always_inline)) uint32_t do_##name(PARAMETERS);                                   \
    uint32_t msp430_##name(struct msp430_live *t, uint16_t *R, struct node *n, const struct msp430_insn *ip,       \
                           const struct msp430_fixed *f, uint32_t here);                                           \
    uint32_t msp430_##name(struct msp430_live *t, uint16_t *R, struct node *n, const struct msp430_insn *ip,       \
                           const struct msp430_fixed *f, uint32_t here)                                            \
    {                                                                                                              \
        return do_##name(t, R, n, ip, f, here, t->data, n->cpu, t->stack_low, t->stack_span, before_of(t, R, ip)); \
    }                                                                                                              \
    static inline uint32_t do_##name(PARAMETERS)

#define left (t->left)
#define fc   (t->fc)
#define fr   (t->fr)
#define fv   (t->fv)

#define HERE (2 * here)
#define GO(where, cycles)                                                                   \
    do {                                                                                    \
        _Static_assert((cycles) <= MSP430_LONGEST, "or slices end within translated code"); \
        left -= SLICE_CYCLES(cycles) + 1;                                                   \
        return (where);                                                                     \
    } while (0)
#define NEXT(words, cycles)  GO(here + (words), cycles)
#define JUMP(target, cycles) GO((uint32_t)(target) >> 1, cycles)

#define LOOP_ALONE()             \
    do {                         \
        undo(t, R, ip, &before); \
        return here | HEAT_LOOP; \
    } while (0)
#define LOOK(offset) LOOP_ALONE()
#define LOOKED()
#define RELOAD()
#define FIND_STACK()
#define END()          __builtin_unreachable()
#define RESUME(cycles) __builtin_unreachable()

#define LOAD_SLOWLY(to, address, size, offset)                                                    \
    do {                                                                                          \
        if (((size) == 2 && ((address)&1)) || !reads_program(n, n->page[(address) >> PAGE_BITS])) \
            LOOK(offset);                                                                         \
        (to) = (size) == 1 ? f->memory[address] : word_at(f->memory + (address));                 \
    } while (0)
#define STORE_SLOWLY(address, size, offset, value) LOOK(offset)
#define PUSH_SLOWLY(address, offset, value)        LOOK(offset)
#define CHECK_FRAME_SLOWLY(to)                     LOOK(0)

/* Only behind a LOOK. */
static struct slice slice;
static void end_for_good(struct node *n, uint32_t pc)
{
    (void)n, (void)pc;
}

#include "isa/msp430/execute_operations.h"
