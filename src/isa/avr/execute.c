#include "isa/avr/execute.h"

#include "chip/chip.h"
#include "isa/avr/code.h"
#include "isa/avr/execute_shared.h"
#include "isa/avr/hot.h"
#include "isa/avr/trap.h"
#include "isa/avr/wait.h"
#include "isa/slice.h"

/* The loop over decoded instructions is in execute_loop.h, its operations in the execute_*.h files by group. */

static void loop_for_ever(struct node *n, uint32_t pc)
{
    if (node_watchdog_runs(n) || n->state->reset_pending)
        return;
    if (2 * pc == n->machine->exit_address)
        node_halt(n, NODE_EXIT_FIRMWARE, n->data[24]);
    else
        node_halt(n, NODE_EXIT_HALT, 0);
}

/* What of it a probe sees is put together when it asks (isa->show). */
#define GLANCE()                        \
    do {                                \
        uint32_t *f_ = n->glance.flags; \
        f_[0] = it;                     \
        f_[1] = fc;                     \
        f_[2] = fz;                     \
        f_[3] = fn;                     \
        f_[4] = fv;                     \
        f_[5] = fh;                     \
        set_pair(r, AVR_SPL, sp);       \
        cpu->pc = HERE;                 \
        slice_glance(n, &slice, left);  \
    } while (0)

/* The flags again, after a call that has not changed them. */
#define RECALL()                              \
    do {                                      \
        const uint32_t *f_ = n->glance.flags; \
        it = f_[0];                           \
        fc = f_[1];                           \
        fz = f_[2];                           \
        fn = f_[3];                           \
        fv = f_[4];                           \
        fh = f_[5];                           \
    } while (0)

void avr_show(struct node *n)
{
    const uint32_t *f = n->glance.flags;
    unsigned it = f[0], fc = f[1], fz = f[2], fn = f[3], fv = f[4], fh = f[5];
    n->data[AVR_SREG] = SREG_GET();
    slice_show_glance(n);
}

/* ---- from one instruction to the next ---- */

#define HERE ((uint32_t)(ip - code))
/* Another thread may be marking code as hot: either value is right. */
#define DISPATCH() goto *operations[__atomic_load_n(&ip->op, __ATOMIC_RELAXED)]
#define GO(where, cycles)                 \
    do {                                  \
        ip = (where);                     \
        left -= SLICE_CYCLES(cycles) + 1; \
        if (left <= 0)                    \
            goto slice_ends;              \
        DISPATCH();                       \
    } while (0)
#define NEXT(length, cycles) GO(ip + (length), cycles)
#define JUMP(target, cycles) GO(code + (target), cycles)

#define WRAP()                            \
    do {                                  \
        ip = code + (HERE & (words - 1)); \
        DISPATCH();                       \
    } while (0)

/* ---- around what looks at the CPU, or changes it ---- */

#define SAVE()                    \
    do {                          \
        r[AVR_SREG] = SREG_GET(); \
        set_pair(r, AVR_SPL, sp); \
        cpu->pc = HERE;           \
    } while (0)
#define RELOAD()               \
    do {                       \
        SREG_SET(r[AVR_SREG]); \
        sp = pair(r, AVR_SPL); \
    } while (0)
/* The time for observers is that of the instruction plus `offset` cycles. */
#define LOOK(offset)                         \
    do {                                     \
        SAVE();                              \
        slice_look(n, &slice, left, offset); \
    } while (0)
/* A request made meanwhile ends the slice after this instruction. Flags come last: as long as none of them has to be
 * kept over a call, the compiler has registers for all (LOOKED_STACK, RECALL). */
#define LOOKED()                               \
    do {                                       \
        if (n->cut)                            \
            left = slice_cut(n, &slice, left); \
        RELOAD();                              \
    } while (0)
/* The same where the bounds of the stack may be others. */
#define LOOKED_STACK()         \
    do {                       \
        sp = pair(r, AVR_SPL); \
        STACK_BOUNDS();        \
        LOOKED();              \
    } while (0)

/* Interrupts have just been allowed: one more instruction, then they are seen to (AVR Instruction Set Manual, SEI). */
#define INTERRUPTS_ALLOWED(cycles)                                              \
    do {                                                                        \
        cpu->quiet_until = slice.start_count + (uint64_t)slice_count(left) + 2; \
        if (n->state->asking)                                                   \
            left = slice_shorten(&slice, left, (cycles) + 1);                   \
    } while (0)

#define STACK_BOUNDS()                                                                    \
    do {                                                                                  \
        stack_low = avr_stack_low(n);                                                     \
        stack_span = taps_stack_span(n, sp, &stack_low, (uint32_t)n->machine->data_size); \
    } while (0)

#define REG(i)              r[i]
#define PAIR(at)            pair(r, at)
#define SET_PAIR(at, value) set_pair(r, at, value)
#define OP(name)            op_##name:
#define LOOP_ALONE()        /* what follows is never translated */
#define END()               goto slice_ends

#define LOOP                run
#include "isa/avr/execute_loop.h"
#undef LOOP

#define LOOP run_probed
#define PROBED
#include "isa/avr/execute_loop.h"

void avr_run(struct node *n)
{
    if (__builtin_expect(n->taps != NULL, 0) && n->taps->alone)
        run_probed(n);
    else
        heat_run(n, ((const struct avr_cpu *)n->cpu)->pc, run);
}
