#include "isa/avr/execute.h"

#include <string.h>

#include "chip/chip.h"
#include "isa/avr/avr.h"
#include "isa/avr/code.h"
#include "isa/avr/memory.h"
#include "isa/avr/trap.h"
#include "isa/slice.h"
#include "node/machine.h"
#include "node/taps.h"

/* The loop over decoded instructions (execute_loop.h). The operations are in the execute_*.h files by group, included
 * into it so that registers of the host hold the registers of the loop.
 *
 * Flags are kept apart, each in the form that is cheapest to produce: carry as 0 or 1, Z as a value that is zero when
 * the flag is set, N, V and H as a value whose bit 7, 7 and 4 is the flag. S is N xor V, except after an instruction
 * that set one of the three alone: then bit 15 of V's value, which arithmetic leaves zero, says that S is the opposite.
 * They become SREG only when it is read.
 */
enum { SREG_N = 0x04, SREG_V = 0x08, SREG_S = 0x10, SREG_H = 0x20, SREG_T = 0x40, SREG_I = 0x80 };
enum { X = 26, Y = 28, Z = 30 };

static inline uint32_t pair(const uint8_t *r, unsigned at)
{
    uint16_t v;
    memcpy(&v, r + at, 2);
    return v;
}

static inline void set_pair(uint8_t *r, unsigned at, uint32_t value)
{
    uint16_t v = (uint16_t)value;
    memcpy(r + at, &v, 2);
}

static uint32_t program_address(const struct node *n, bool extended)
{
    uint32_t high = extended ? (uint32_t)n->data[AVR_RAMPZ] << 16 : 0;
    return (high | pair(n->data, Z)) & (n->machine->code_size - 1);
}

static void instruction(struct node *n, enum instruction what)
{
    const struct device *d = n->machine->instructions[what].device;
    if (d)
        d->type->instruction(n, d, what);
}

static void loop_for_ever(struct node *n, uint32_t pc)
{
    if (node_watchdog_runs(n) || n->state->reset_pending)
        return;
    if (2 * pc == n->machine->exit_address)
        node_halt(n, NODE_EXIT_FIRMWARE, n->data[24]);
    else
        node_halt(n, NODE_EXIT_HALT, 0);
}

/* ---- flags ---- */

#define FLAG_N (fn & 0x80)
#define FLAG_V (fv & 0x80)
#define FLAG_S ((fn ^ fv ^ fv >> 8) & 0x80)
#define FLAG_H (fh & 0x10)
#define SREG_GET() \
    ((uint8_t)(it | (FLAG_H << 1) | (FLAG_S >> 3) | (FLAG_V >> 4) | (FLAG_N >> 5) | ((fz == 0) << 1) | fc))
#define SREG_SET(value)                                                      \
    do {                                                                     \
        unsigned s_ = (value);                                               \
        it = s_ & 0xc0;                                                      \
        fh = s_ >> 1 & 0x10;                                                 \
        fv = (s_ << 4 & 0x80) | ((s_ << 11 ^ s_ << 12 ^ s_ << 13) & 0x8000); \
        fn = s_ << 5 & 0x80;                                                 \
        fz = ~s_ & 2;                                                        \
        fc = s_ & 1;                                                         \
    } while (0)

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

void avr_show(struct node *n)
{
    const uint32_t *f = n->glance.flags;
    unsigned it = f[0], fc = f[1], fz = f[2], fn = f[3], fv = f[4], fh = f[5];
    n->data[AVR_SREG] = SREG_GET();
    slice_show_glance(n);
}

/* ---- from one instruction to the next ---- */

#define HERE       ((uint32_t)(ip - code))
#define DISPATCH() goto *operations[ip->op]
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
/* A request made meanwhile ends the slice after this instruction. */
#define LOOKED()                                   \
    do {                                           \
        RELOAD();                                  \
        if (n->cut)                                \
            left = slice_shorten(&slice, left, 0); \
    } while (0)

/* Interrupts have just been allowed: one more instruction, then they are seen to (AVR Instruction Set Manual, SEI). */
#define INTERRUPTS_ALLOWED(cycles)                                              \
    do {                                                                        \
        cpu->quiet_until = slice.start_count + (uint64_t)slice_count(left) + 2; \
        if (n->state->asking)                                                   \
            left = slice_shorten(&slice, left, (cycles) + 1);                   \
    } while (0)

/* ---- data memory ---- */

/* Memory without side effects and watches. */
#define PLAIN(a) (__builtin_expect(!n->page[(a) >> PAGE_BITS], 1) || taps_miss(n, n->page[(a) >> PAGE_BITS], (a), 1))
#define LOAD(address, to, offset)                         \
    do {                                                  \
        uint32_t a_ = (uint16_t)(address);                \
        if (PLAIN(a_)) {                                  \
            (to) = r[a_];                                 \
        } else {                                          \
            LOOK(offset);                                 \
            uint8_t v_ = avr_load(n, HERE, (uint16_t)a_); \
            LOOKED();                                     \
            (to) = v_;                                    \
        }                                                 \
    } while (0)
#define STORE(address, value, offset)             \
    do {                                          \
        uint32_t a_ = (uint16_t)(address);        \
        uint8_t v_ = (value);                     \
        if (PLAIN(a_)) {                          \
            r[a_] = v_;                           \
        } else {                                  \
            LOOK(offset);                         \
            bool was_off_ = !(it & SREG_I);       \
            avr_store(n, HERE, (uint16_t)a_, v_); \
            LOOKED();                             \
            STACK_BOUNDS();                       \
            if (was_off_ && (it & SREG_I))        \
                INTERRUPTS_ALLOWED(2);            \
        }                                         \
    } while (0)

/* Pushes to [stack_low, stack_low + stack_span) are plain stores. */
#define STACK_BOUNDS()                                                                    \
    do {                                                                                  \
        stack_low = avr_stack_low(n);                                                     \
        stack_span = taps_stack_span(n, sp, &stack_low, (uint32_t)n->machine->data_size); \
    } while (0)
#define PUSH(value, offset)                                     \
    do {                                                        \
        uint8_t v_ = (uint8_t)(value);                          \
        if (__builtin_expect(sp - stack_low < stack_span, 1)) { \
            r[sp] = v_;                                         \
        } else {                                                \
            LOOK(offset);                                       \
            avr_push_slow(n, HERE, (uint16_t)sp, v_);           \
            LOOKED();                                           \
            STACK_BOUNDS();                                     \
        }                                                       \
        sp = (uint16_t)(sp - 1);                                \
    } while (0)
/* SP changes last, so that a log that is replayed finds everything as it was before the instruction. */
#define POP(to, offset)           \
    do {                          \
        LOAD(sp + 1, to, offset); \
        sp = (uint16_t)(sp + 1);  \
    } while (0)

#define REG(i)   r[i]
#define OP(name) op_##name:

#define LOOP     run
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
        run(n);
}
