/* The operations of the AVR as functions, from which translated code is put together (translate/emit.c).
 *
 * The same headers make the loop (isa/avr/execute_shared.h says how). Here an operation that cannot do all of its work
 * without looking outside the CPU undoes what it did and leaves the instruction to the loop: that is what LOOK means.
 * Compiled to LLVM's bitcode when Motet is built; nothing of it is linked.
 */
#include "chip/chip.h"
#include "isa/avr/code.h"
#include "isa/avr/execute_shared.h"
#include "isa/avr/hot.h"
#include "isa/slice.h"

/* What an operation may have changed when it comes to a LOOK. Of memory there is no need to keep anything: the loop
 * stores the same there again. */
struct before {
    uint32_t sp, it, fc, fz, fn, fv, fh, x, y, z;
};

static inline struct before before_of(const struct avr_live *t, const uint8_t *reg)
{
    return (struct before){t->sp, t->it, t->fc, t->fz, t->fn, t->fv, t->fh, pair(reg, X), pair(reg, Y), pair(reg, Z)};
}

static inline void undo(struct avr_live *t, uint8_t *reg, const struct before *b)
{
    t->sp = b->sp;
    t->it = b->it;
    t->fc = b->fc;
    t->fz = b->fz;
    t->fn = b->fn;
    t->fv = b->fv;
    t->fh = b->fh;
    set_pair(reg, X, b->x);
    set_pair(reg, Y, b->y);
    set_pair(reg, Z, b->z);
}

#define PARAMETERS                                                                                               \
    struct avr_live *t, uint8_t *reg, struct node *n, const struct avr_insn *ip, const struct avr_fixed *shared, \
        uint32_t here, uint8_t *r, struct avr_cpu *cpu, uint32_t stack_low, uint32_t stack_span, uint32_t words, \
        bool wide, struct before before
#define OP(name)                                                                                                  \
    static inline __attribute__((always_inline)) uint32_t do_##name(PARAMETERS);                                  \
    uint32_t avr_##name(struct avr_live *t, uint8_t *reg, struct node *n, const struct avr_insn *ip,              \
                        const struct avr_fixed *f, uint32_t here);                                                \
    uint32_t avr_##name(struct avr_live *t, uint8_t *reg, struct node *n, const struct avr_insn *ip,              \
                        const struct avr_fixed *f, uint32_t here)                                                 \
    {                                                                                                             \
        return do_##name(t, reg, n, ip, f, here, t->data, t->cpu, t->stack_low, t->stack_span, f->words, f->wide, \
                         before_of(t, reg));                                                                      \
    }                                                                                                             \
    static inline uint32_t do_##name(PARAMETERS)

#define left                (t->left)
#define sp                  (t->sp)
#define it                  (t->it)
#define fc                  (t->fc)
#define fz                  (t->fz)
#define fn                  (t->fn)
#define fv                  (t->fv)
#define fh                  (t->fh)

#define REG(i)              reg[i]
#define PAIR(at)            pair(reg, at)
#define SET_PAIR(at, value) set_pair(reg, at, value)
#define HERE                here

#define GO(where, cycles)                                                                \
    do {                                                                                 \
        _Static_assert((cycles) <= AVR_LONGEST, "or slices end within translated code"); \
        left -= SLICE_CYCLES(cycles) + 1;                                                \
        return (where);                                                                  \
    } while (0)
#define NEXT(length, cycles) GO(HERE + (length), cycles)
#define JUMP(target, cycles) GO(target, cycles)

#define LOOP_ALONE()             \
    do {                         \
        undo(t, reg, &before);   \
        return HERE | HEAT_LOOP; \
    } while (0)
#define LOOK(offset) LOOP_ALONE()
#undef PLAIN /* a watch near by: for the loop */
#define PLAIN(a) (!n->page[(a) >> PAGE_BITS])
#define LOOKED()
#define LOOKED_STACK()
#define SAVE()
#define RELOAD()
#define STACK_BOUNDS()
#define END()  __builtin_unreachable()
#define WRAP() __builtin_unreachable()

/* Interrupts that wait are for the loop. */
#define INTERRUPTS_ALLOWED(cycles)                                           \
    do {                                                                     \
        if (n->state->asking)                                                \
            LOOK(0);                                                         \
        cpu->quiet_until = t->start_count + (uint64_t)slice_count(left) + 2; \
    } while (0)

/* Only behind a LOOK. */
static struct slice slice;
static void loop_for_ever(struct node *n, uint32_t pc)
{
    (void)n, (void)pc;
}

#include "isa/avr/execute_arithmetic.h"
#include "isa/avr/execute_flow.h"
#include "isa/avr/execute_memory.h"
